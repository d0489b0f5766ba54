import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { acceptedScore, raceScores } from '../../testkit/score-race/score-race.js';

const checkout = fileURLToPath(new URL('../../', import.meta.url));
const ratioMax = 1.1;
const attempts = 3;
/** Fewer slices measure code that is not compiled yet. */
const slices = 200;

// A ratio in one process, so that it holds on a busy machine. If a change has a reason to exceed it, CONTRIBUTING.md says how
// to accept the new score.
test(`a reading is scored with at most ${ratioMax} × the CPU time of the accepted score`, async () => {
  const ratios: number[] = [];
  while (ratios.length < attempts && !ratios.some((it) => it <= ratioMax)) {
    const [own, accepted] = await raceScores([checkout, acceptedScore], slices);
    ratios.push((own?.quartile ?? NaN) / (accepted?.quartile ?? NaN));
  }
  expect(Math.min(...ratios), `ratios of ${attempts} attempts: ${ratios.join(', ')}`).toBeLessThanOrEqual(ratioMax);
});
