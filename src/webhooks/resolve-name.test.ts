import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../testkit/temporary-folder.js';
import { createHostsFile, createResolveName, NameNotResolvedError } from './resolve-name.js';

/**
 * Starts a nameserver on loopback. It resolves `known*` to 192.0.2.7, never responds for `silent*`, and reports every
 * other name as not found.
 */
async function startNameserver() {
  const asked: string[] = [];
  const server: Socket = createSocket('udp4');
  server.on('message', (query, { port, address }) => {
    const name = nameIn(query);
    asked.push(name);
    if (!name.startsWith('silent')) server.send(responseTo(query, name.startsWith('known')), port, address);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { asked, address: `127.0.0.1:${server.address().port}` };
}

function nameIn(query: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; (query[at] ?? 0) > 0; at += (query[at] ?? 0) + 1)
    labels.push(query.toString('latin1', at + 1, at + 1 + (query[at] ?? 0)));
  return labels.join('.');
}

/** Encodes a DNS response (RFC 1035, 4.1). */
function responseTo(query: Buffer, isKnown: boolean): Buffer {
  const questionEnd = query.indexOf(0, 12) + 5;
  const isA = query.readUInt16BE(questionEnd - 4) === 1;
  const head = Buffer.from(query.subarray(0, questionEnd));
  head.writeUInt16BE(isKnown ? 0x8180 : 0x8183, 2);
  head.writeUInt16BE(isKnown && isA ? 1 : 0, 6);
  head.fill(0, 8, 12);
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 7]);
  return isKnown && isA ? Buffer.concat([head, record]) : head;
}

test('a name is resolved by the configured nameserver, once per account', async () => {
  const { asked, address } = await startNameserver();
  const resolveName = createResolveName([address]);
  for (const account of ['a', 'a', 'b'])
    expect(await resolveName('known.example', account)).toEqual([{ address: '192.0.2.7', family: 4 }]);
  // One A and one AAAA query per account.
  expect(asked).toHaveLength(4);
});

test('an unknown name rejects with NameNotResolvedError', async () => {
  const { address } = await startNameserver();
  await expect(createResolveName([address])('unknown.example', 'a')).rejects.toBeInstanceOf(NameNotResolvedError);
});

test('lookups at an unresponsive nameserver time out and do not delay other accounts', async () => {
  const { asked, address } = await startNameserver();
  const resolveName = createResolveName([address]);
  const settled: string[] = [];
  const silent = Array.from({ length: 60 }, (_, index) =>
    resolveName(`silent${index}.example`, 'attacker').then(
      () => settled.push('resolved'),
      () => settled.push('failed'),
    ),
  );
  for (let index = 0; index < 20; index += 1) await resolveName(`known${index}.example`, 'neighbor');
  expect(settled).toEqual([]);
  // The limit allows eight concurrent lookups per account.
  expect(new Set(asked.filter((name) => name.startsWith('silent'))).size).toBe(8);
  await silent[0];
  expect(settled).toContain('failed');
});

test('an account can queue a limited number of lookups, and another account is not affected', async () => {
  const { address } = await startNameserver();
  const resolveName = createResolveName([address]);
  let rejected = 0;
  const flood = Array.from({ length: 1_000 }, (_, index) => resolveName(`silent${index}.example`, 'attacker'));
  for (const lookup of flood)
    lookup.catch((error: Error) => (rejected += error.message.startsWith('too many lookups') ? 1 : 0));
  expect(await resolveName('known.example', 'neighbor')).toHaveLength(1);
  // Each lookup first reads the hosts file, so some lookups are rejected only after the neighbor's lookup has ended.
  await expect.poll(() => rejected).toBe(1_000 - 8 - 600);
});

test('localhost and names in the hosts file resolve without a nameserver', async () => {
  const file = join(await temporaryFolder(), 'hosts');
  writeFileSync(file, '# comment\n192.0.2.1 one.example  One\n2001:db8::1 one.example # two families\nnonsense two\n');
  const find = createHostsFile(file);
  expect(await find('ONE.example')).toEqual([
    { address: '192.0.2.1', family: 4 },
    { address: '2001:db8::1', family: 6 },
  ]);
  expect(await find('one.')).toEqual([{ address: '192.0.2.1', family: 4 }]);
  expect(await find('two')).toEqual([]);
  const { asked, address } = await startNameserver();
  const addresses = await createResolveName([address])('any.localhost', 'a');
  expect(addresses).toContainEqual({ address: '127.0.0.1', family: 4 });
  expect(asked).toEqual([]);
});
