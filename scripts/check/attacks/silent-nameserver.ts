import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Scenario } from './scenario.js';

const webhookCount = 60;
const readings = 6;
const attackMs = 15_000;
const neighborName = 'neighbor.example';

/**
 * Checks that unanswered lookups of the attacker do not delay the neighbor. The nameserver responds only to lookups of
 * the neighbor's name.
 */
export const silentNameserver: Scenario = {
  item: 4,
  title: '60 webhooks to names whose nameserver does not respond',
  async setUp(defer) {
    const nameserver = createSocket('udp4');
    nameserver.on('message', (query, { port, address }) => {
      if (query.includes('neighbor')) nameserver.send(addressResponse(query), port, address);
    });
    nameserver.bind(0, '127.0.0.1');
    await once(nameserver, 'listening');
    defer(() => nameserver.close());
    const env = { WEBHOOK_DNS_SERVERS: `127.0.0.1:${nameserver.address().port}`, WEBHOOK_ALLOW_HTTP: '1' };
    return { env, neighborReceiverHost: neighborName };
  },
  async attack({ attacker }) {
    const names = Array.from({ length: webhookCount }, (_, index) => `https://hook-${index}.attack.example/hooks`);
    await Promise.all(names.map((name) => attacker.webhooks.register(name)));
    for (let reading = 0; reading < readings; reading += 1) await attacker.swing('unresolved');
    await sleep(attackMs);
    return [{ what: 'state changes, each for 60 webhooks', found: readings - 1 }];
  },
};

const headerBytes = 12;
const questionCount = [0, 1];
/** DNS flags of a response: recursion desired and available, no error. */
const responseFlags = [0x81, 0x80];
/** DNS answer record: the name of the question, class IN, TTL 1 s, 127.0.0.1. */
const loopbackRecord = [0xc0, headerBytes, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, 127, 0, 0, 1];

/** Returns a DNS response (RFC 1035, 4.1): 127.0.0.1 for type A, no record for other types. */
function addressResponse(query: Buffer): Buffer {
  const endOfName = query.indexOf(0, headerBytes);
  const question = query.subarray(headerBytes, endOfName + 5);
  const isTypeA = query.readUInt16BE(endOfName + 1) === 1;
  const counts = [...questionCount, 0, isTypeA ? 1 : 0, 0, 0, 0, 0];
  const header = Buffer.from([...query.subarray(0, 2), ...responseFlags, ...counts]);
  return Buffer.concat([header, question, Buffer.from(isTypeA ? loopbackRecord : [])]);
}
