import { type Counts, countWhere } from '../../../packages/tools/evaluate/figures/statistics.js';
import type { Wearer } from '../../../packages/tools/evaluate/protocol/wearers.js';
import { seededRandom } from '../../../packages/tools/terminal/scenes.js';
import { advanceEach } from '../../../testkit/simulation/sessions.js';

const dayMs = 24 * 60 * 60 * 1000;

/**
 * Returns the number of minutes of a person in which the reason says that another person may wear the device, and the
 * number of all minutes. The device changes once per day, at a random minute, and the same person wears it.
 */
export function countUnlike({ minutes }: Wearer, seed: number): Counts {
  const random = seededRandom(seed);
  let [changesAtMs, device] = [0, 0];
  const readings = minutes.map(({ atMs, heartRate }) => {
    if (changesAtMs === 0) changesAtMs = atMs + dayMs * random();
    if (atMs >= changesAtMs) {
      device += 1;
      changesAtMs = atMs - (atMs % dayMs) + dayMs * (1 + random());
    }
    return { heart_rate: heartRate, atMs, subjectId: 'person', source_device: `watch ${device}` };
  });
  const reasons = Array.from(advanceEach(readings), ({ computed }) => computed.reason);
  return countWhere(reasons, (it) => it.includes('no longer look like'));
}
