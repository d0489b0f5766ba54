import type { Baseline } from '../../../src/domain/baseline.js';
import { advanceSession, type Step } from '../../../src/domain/session.js';
import { bandOf } from '../../../src/domain/states.js';
import { draw, type Scene } from '../../../src/terminal/scenes.js';

const readings = 10;
const spacingMs = 2_000;
const startMs = Date.UTC(2026, 0, 5, 9);

/**
 * Returns the state at the end of one random scene: ten readings of an unknown person, two seconds apart. The baseline
 * belongs to the subject if there is one, otherwise to the session. Ingest follows the same rule.
 */
export function playScene(scene: Scene, random: () => number, isNamed: boolean): string {
  let last: Step | undefined;
  let baseline: Baseline | undefined;
  let score = 0;
  for (let index = 0; index < readings; index += 1) {
    const reading = {
      ...draw(scene, random),
      atMs: startMs + index * spacingMs,
      ...(isNamed && { subjectId: 'somebody' }),
    };
    last = advanceSession(last?.session, reading, isNamed ? baseline : last?.session.baseline);
    ({ baseline } = last);
    ({ score } = last.computed);
  }
  return bandOf(score).state;
}
