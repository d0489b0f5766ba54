import { expect, test } from 'vitest';
import { createNetworkCheck, parseNetworks } from './networks.js';

test.each([
  ['10.1.2.3/8', '10.0.0.0/8'],
  ['192.0.2.7', '192.0.2.7/32'],
  ['0.0.0.0/0', '0.0.0.0/0'],
  ['2001:DB8::1/32', '2001:db8::/32'],
  ['::1', '::1/128'],
  ['::ffff:10.0.0.0/104', '10.0.0.0/8'],
])('%s is parsed as the network %s', (text, canonical) => {
  expect(parseNetworks([text])).toEqual([canonical]);
});

test.each([
  '',
  '10.0.0.0/33',
  '::/129',
  '10.0.0/8',
  '010.0.0.1',
  '0x0a.0.0.1',
  '10.0.0.0/8/8',
  '10.0.0.0/',
  'fe80::1%eth0',
  'localhost',
  '10.0.0.0/-1',
  '10.0.0.0/1e1',
])('"%s" is not a network', (text) => {
  expect(() => parseNetworks([text])).toThrow(/not a network: write an IPv4 or IPv6 CIDR/);
});

test('a key has at most 32 networks, and duplicates count once', () => {
  const networks = Array.from({ length: 33 }, (_, index) => `10.0.${index}.0/24`);
  expect(() => parseNetworks(networks)).toThrow('at most 32');
  expect(parseNetworks(['10.0.0.0/8', '10.9.9.9/8'])).toEqual(['10.0.0.0/8']);
});

test.each([
  ['10.0.0.0/8', '10.255.255.255', true],
  ['10.0.0.0/8', '11.0.0.0', false],
  ['10.0.0.0/8', '::ffff:10.0.0.1', true],
  ['10.0.0.0/8', '::10.0.0.1', false],
  ['0.0.0.0/0', '::1', false],
  // `::/0` contains ::ffff:10.0.0.1.
  ['::/0', '10.0.0.1', true],
  ['2001:db8::/32', '2001:db8:ffff::1', true],
  ['2001:db8::/32', '2001:db9::1', false],
  ['fe80::/10', 'fe80::1%eth0', true],
  ['0.0.0.0/0', undefined, false],
  ['0.0.0.0/0', 'unknown', false],
])('%s contains %s: %s', (network, address, expected) => {
  expect(createNetworkCheck([network])(address)).toBe(expected);
});
