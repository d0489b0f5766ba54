import { setTimeout as sleep } from 'node:timers/promises';
import { changeKey, startNeighborReceiver } from './neighbor-receiver.js';
import type { Scenario } from './scenario.js';

const hourMs = 3_600_000;
const sessions = 20;
const limitMs = 15_000;
const lookMs = 50;

/** Checks that a webhook gets the events after its registration even if the clock was set back in between. */
export const clockSetBack: Scenario = {
  item: 7,
  title: 'clock set back one hour after a webhook was registered',
  async prepare({ clock }) {
    await clock.shift(-hourMs);
  },
  async attack({ attacker, defer }) {
    const receiver = await startNeighborReceiver();
    defer(receiver.close);
    await attacker.webhooks.register(`http://127.0.0.1:${receiver.port}/registered-after`);
    const changes: string[] = [];
    for (let session = 0; session < sessions; session += 1) {
      await attacker.swing(`set-back-${session}`);
      const { timestamp } = await attacker.swing(`set-back-${session}`);
      changes.push(changeKey(`set-back-${session}`, timestamp));
    }
    const missing = () => changes.filter((change) => !receiver.arrivedAt.has(change)).length;
    for (const endsAt = performance.now() + limitMs; missing() > 0 && performance.now() < endsAt;) await sleep(lookMs);
    return [{ what: `events missing of ${sessions}, at a webhook registered later`, found: missing(), allowed: 0 }];
  },
};
