import { advanceSession, type SessionStep } from '../../../packages/score/session.js';
import { seededRandom } from '../../../packages/tools/terminal/scenes.js';
import type { Wearer } from '../../../testkit/simulation/days.js';

const dayMs = 24 * 60 * 60 * 1000;

/**
 * Returns the number of minutes of a person in which the reason says that another person may wear the device, and the
 * number of all minutes. The device changes once per day, at a random minute, and the same person wears it.
 */
export function countUnlike({ minutes }: Wearer, seed: number): { readonly named: number; readonly all: number } {
  const random = seededRandom(seed);
  let [last, changesAtMs, device, named]: [SessionStep | undefined, number, number, number] = [undefined, 0, 0, 0];
  for (const { atMs, heartRate } of minutes) {
    if (changesAtMs === 0) changesAtMs = atMs + dayMs * random();
    if (atMs >= changesAtMs) {
      device += 1;
      changesAtMs = atMs - (atMs % dayMs) + dayMs * (1 + random());
    }
    const reading = { heart_rate: heartRate, atMs, subjectId: 'person', source_device: `watch ${device}` };
    last = advanceSession(last?.session, reading, last?.baseline);
    if (/no longer look like/.test(last.computed.reason)) named += 1;
  }
  return { named, all: minutes.length };
}
