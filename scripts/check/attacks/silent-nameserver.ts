import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Scenario } from './scenario.js';

const webhookCount = 60;
const readings = 6;
const attackMs = 15_000;

/** The neighbor's receiver has a name too, so that its lookups compete with those that get no response. */
export const silentNameserver: Scenario = {
  item: 4,
  title: '60 webhooks to names whose nameserver does not respond',
  async setUp(defer) {
    const nameserver = createSocket('udp4');
    nameserver.bind(0, '127.0.0.1');
    await once(nameserver, 'listening');
    defer(() => nameserver.close());
    const env = { WEBHOOK_DNS_SERVERS: `127.0.0.1:${nameserver.address().port}` };
    return { env, neighborReceiverHost: 'localhost' };
  },
  async attack({ attacker }) {
    for (let index = 0; index < webhookCount; index += 1)
      await attacker.webhooks.register(`https://hook-${index}.attack.example/hooks`);
    for (let reading = 0; reading < readings; reading += 1) await attacker.swing('unresolved');
    await sleep(attackMs);
    return [{ what: 'state changes for 60 names each', found: readings - 1 }];
  },
};
