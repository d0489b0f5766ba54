import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { createDialer } from './dial.js';
import { createResolveName } from './resolve-name.js';
import { createAttempt } from './send.js';
import { findAddressFault, findUrlFault, type TargetPolicy } from './target.js';

const strict: TargetPolicy = { allowHttp: false, allowLoopback: false };
const onLoopback: TargetPolicy = { allowHttp: false, allowLoopback: true };
const withHttp: TargetPolicy = { allowHttp: true, allowLoopback: false };
const open: TargetPolicy = { allowHttp: true, allowLoopback: true };

/** Splits a list at white space. */
const words = (list: string) => list.trim().split(/\s+/);

/** Loopback addresses in every notation. */
const loopback = words(`
  127.0.0.1 127.255.255.254 127.0.0.1. 2130706433 0177.0.0.1 017700000001 0x7f.1 0x7f000001 0X7F.0.0.0x1 127.1
  127.0.1 %31%32%37.0.0.1 １２７.０.０.１ ①②⑦.⓪.⓪.① 127。0。0。1 [::1] [0:0:0:0:0:0:0:1] [0000::0001] [::ffff:127.0.0.1]
  [::ffff:7f00:1] localhost LOCALHOST localhost. foo.localhost a.b.localhost.
`);

/** Addresses that no setting allows as targets. */
const refused = words(`
  10.0.0.1 10.255.255.255 167772161 012.0.0.1 0xa.1 172.16.0.1 172.31.255.255 192.168.0.1 192.168.257 0xc0a80001
  100.64.0.1 100.100.100.200 169.254.169.254 2852039166 0xa9fea9fe 168.63.129.16 192.0.0.192 192.0.2.1 198.18.0.1
  198.51.100.1 203.0.113.1 0.0.0.0 0 0.1.2.3 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255 [::]
  [::ffff:10.0.0.1] [::ffff:a00:1] [::ffff:169.254.169.254] [::ffff:0.0.0.0] [::ffff:0:10.0.0.1] [::10.0.0.1]
  [::127.0.0.1] [64:ff9b::10.0.0.1] [64:ff9b::a00:1] [64:ff9b::8.8.8.8] [64:ff9b:1::1] [2002:a00:1::]
  [2002:7f00:1::1] [2001:0:4136:e378:8000:63bf:3fff:fdd2] [2001:db8::1] [2001:20::1] [100::1] [fe80::1] [fc00::1]
  [fd00:ec2::254] [fec0::1] [ff02::1] [ff0e::1] [4000::1]
`);

const accepted = words(`
  8.8.8.8 1.1.1.1 172.15.0.1 172.32.0.1 100.128.0.1 [2606:4700:4700::1111] [::ffff:8.8.8.8]
`);

test.each([...loopback, ...refused])('https://%s is not an allowed target', (host) => {
  for (const policy of [strict, withHttp]) {
    expect(findUrlFault(`https://${host}/hooks`, policy)).toBe('address_refused');
    expect(findUrlFault(`http://${host}:8080/hooks`, policy)).toBe('address_refused');
  }
});

test.each(loopback)('https://%s and http are allowed targets when loopback is allowed', (host) => {
  for (const policy of [onLoopback, open])
    for (const scheme of ['https', 'http']) expect(findUrlFault(`${scheme}://${host}/`, policy)).toBeUndefined();
});

test.each(refused)('https://%s is not an allowed target even when loopback and http are allowed', (host) => {
  for (const scheme of ['https', 'http']) expect(findUrlFault(`${scheme}://${host}/`, open)).toBe('address_refused');
});

test.each([...accepted, 'hooks.example.com', 'localhost.example.com', 'notlocalhost', 'bücher.example'])(
  '%s is an allowed target over https, and over http only when http is allowed',
  (host) => {
    for (const policy of [strict, onLoopback, open]) expect(findUrlFault(`https://${host}/`, policy)).toBeUndefined();
    for (const policy of [strict, onLoopback]) expect(findUrlFault(`http://${host}/`, policy)).toBe('url_scheme');
    expect(findUrlFault(`http://${host}/`, withHttp)).toBeUndefined();
  },
);

const byte = fc.nat(255);
const privateAddress = fc.oneof(
  fc.tuple(fc.constantFrom(0, 10, 127), byte, byte, byte),
  fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), byte, byte),
  fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
  fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), byte, byte),
  fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
  fc.tuple(fc.constant(198), fc.constantFrom(18, 19), byte, byte),
  fc.tuple(fc.integer({ min: 224, max: 255 }), byte, byte, byte),
);

/** Returns every way to write an IPv4 address: as a URL host, and embedded in an IPv6 address. */
function listNotations([a, b, c, d]: readonly [number, number, number, number]): string[] {
  const whole = ((a * 256 + b) * 256 + c) * 256 + d;
  const [high, low] = [(a * 256 + b).toString(16), (c * 256 + d).toString(16)];
  const dotted = `${a}.${b}.${c}.${d}`;
  return [
    dotted,
    `${dotted}.`,
    String(whole),
    `0x${whole.toString(16)}`,
    `0${whole.toString(8)}`,
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    `0${a.toString(8)}.0x${b.toString(16)}.${c}.${d}`,
    `[::ffff:${dotted}]`,
    `[::ffff:${high}:${low}]`,
    `[::${high}:${low}]`,
    `[64:ff9b::${high}:${low}]`,
    `[64:ff9b:1::${high}:${low}]`,
    `[2002:${high}:${low}::1]`,
  ];
}

test('no private address is an allowed target in any notation', () => {
  fc.assert(
    fc.property(privateAddress, fc.constantFrom(strict, withHttp), (address, policy) => {
      for (const host of listNotations(address))
        expect(findUrlFault(`https://${host}/`, policy)).toBe('address_refused');
    }),
  );
});

test('no IPv6 address outside the global unicast range is an allowed target', () => {
  const group = fc.nat(0xffff);
  const first = group.filter((it) => it >> 13 !== 1);
  fc.assert(
    fc.property(first, fc.array(group, { minLength: 7, maxLength: 7 }), (head, rest) => {
      const address = [head, ...rest].map((it) => it.toString(16)).join(':');
      // In full notation, only mapped addresses are IPv4: five zero groups, then ffff.
      fc.pre(!/^(0:){5}ffff:/.test(address));
      expect(findUrlFault(`https://[${address}]/`, strict)).toBe('address_refused');
    }),
  );
});

test('addresses are checked exactly as resolved, including zones and IPv4-mapped addresses', () => {
  const url = new URL('https://hooks.example.com');
  for (const address of ['::ffff:10.0.0.1', 'fe80::1%eth0', '::1', '127.0.0.1', '', 'not-an-address'])
    expect(findAddressFault(address, url, strict)).toBe('address_refused');
  expect(findAddressFault('93.184.215.14', url, strict)).toBeUndefined();
});

const body = '{}';

async function listen(answer: Parameters<typeof createServer>[1]): Promise<{ port: number; server: Server }> {
  const server = createServer(answer as never);
  server.listen(0);
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { port: (server.address() as AddressInfo).port, server };
}

/** Sends one delivery as the worker does, without a check at registration. */
async function attemptAt(url: string, policy: TargetPolicy) {
  const { dial, close } = createDialer(policy, createResolveName());
  onTestFinished(close);
  const attempt = createAttempt({ dial, keepsResponses: true, timeoutMs: 10_000 });
  return attempt({ accountId: 'a', url, body, headers: {} }, new AbortController().signal);
}

test.each(['localhost', '127.0.0.1', '[::1]', '2130706433', '[::ffff:127.0.0.1]'])(
  'no connection is opened to a disallowed address: %s',
  async (host) => {
    let connections = 0;
    const { port, server } = await listen((_request, response) => void response.end());
    server.on('connection', () => (connections += 1));
    expect(await attemptAt(`http://${host}:${port}/`, withHttp)).toEqual({ error: 'address_refused' });
    await sleep(0);
    expect(connections).toBe(0);
  },
);

test('a delivery to a name that resolves to an allowed address opens a connection', async () => {
  const { port } = await listen((_request, response) => void response.writeHead(204).end());
  expect(await attemptAt(`http://localhost:${port}/`, onLoopback)).toEqual({ status: 204 });
});

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));

test.skipIf(!hasIpv6)('a delivery to an allowed IPv6 address opens a connection', async () => {
  const { port } = await listen((_request, response) => void response.writeHead(204).end());
  expect(await attemptAt(`http://[::1]:${port}/`, onLoopback)).toEqual({ status: 204 });
});

test('an unresolvable name and a disallowed address have different errors', async () => {
  expect(await attemptAt('https://hooks.unknown.invalid/', strict)).toEqual({ error: 'name_not_resolved' });
});
