import { setTimeout as sleep } from 'node:timers/promises';
import type { Scenario } from './scenario.js';

const webhookCount = 20;
const sessions = 10;
const attackMs = 15_000;

export const sharedHost: Scenario = {
  item: 9,
  title: "another account's webhooks hang on the neighbor's host",
  async attack({ attacker, neighbor }) {
    for (let index = 0; index < webhookCount; index += 1)
      await attacker.webhooks.register(`${neighbor.hangingUrl}/${index}`);
    for (let session = 0; session < sessions; session += 1)
      for (let reading = 0; reading < 2; reading += 1) await attacker.swing(`shared-${session}`);
    await sleep(attackMs);
    return [{ what: 'deliveries that hang', found: webhookCount * sessions }];
  },
};
