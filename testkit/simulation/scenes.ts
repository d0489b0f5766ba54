import { draw, type Scene, scenes, seededRandom } from '../../packages/tools/terminal/scenes.js';
import type { Column, TableRow } from '../../packages/tools/terminal/table.js';
import type { Baseline } from '../../packages/score/rows/person.js';
import { advanceSession, type SessionStep } from '../../packages/score/session.js';
import { findBand } from '../../packages/score/states.js';

const readings = 10;
const spacingMs = 2_000;
const startMs = Date.UTC(2026, 0, 5, 9);

export const sceneDraws = 1_000;
const sceneSeed = 11;

export const sceneColumns: readonly Column[] = [
  { title: 'scene' },
  { title: 'in band, with subject_id', align: 'right' },
  { title: 'without', align: 'right' },
  { title: 'calm instead of acute_stress, or the reverse', align: 'right' },
];

/** Returns one row per scene: the share of draws that ended in its state. */
export function sceneRows(): TableRow[] {
  const random = seededRandom(sceneSeed);
  const play = (scene: Scene, isNamed: boolean) =>
    Array.from({ length: sceneDraws }, () => playScene(scene, random, isNamed));
  return scenes.map((scene) => {
    const [named, unnamed] = [play(scene, true), play(scene, false)];
    const confused = [...named, ...unnamed].filter((state) => state === oppositeOf(scene.name)).length;
    const share = (ends: readonly string[]) =>
      `${((100 * ends.filter((state) => state === scene.name).length) / ends.length).toFixed(1)} %`;
    return [scene.name, share(named), share(unnamed), String(confused)];
  });
}

function oppositeOf(state: string): string | undefined {
  return { calm: 'acute_stress', acute_stress: 'calm' }[state];
}

/**
 * Returns the state at the end of one random scene: ten readings of an unknown person, two seconds apart. The baseline
 * belongs to the subject if there is one, otherwise to the session. Ingest follows the same rule.
 */
export function playScene(scene: Scene, random: () => number, isNamed: boolean): string {
  let last: SessionStep | undefined;
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
  return findBand(score).state;
}
