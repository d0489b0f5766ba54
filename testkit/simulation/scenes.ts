import { draw, type Scene, scenes, seededRandom } from '../../packages/tools/terminal/scenes.js';
import { shareOf } from '../../packages/tools/evaluate/figures/statistics.js';
import { type Column, figureColumns, percent, type TableRow } from '../../packages/tools/terminal/table.js';
import { advanceAll } from './sessions.js';
import { findBand } from '../../packages/score/states.js';

const readings = 10;
const spacingMs = 2_000;
const startMs = Date.UTC(2026, 0, 5, 9);

export const sceneDraws = 1_000;
const sceneSeed = 11;

export const sceneColumns: readonly Column[] = [
  { title: 'scene' },
  ...figureColumns('in band, with subject_id', 'without', 'calm instead of acute_stress, or the reverse'),
];

/** Returns one row per scene: the share of draws that ended in its state. */
export function sceneRows(): TableRow[] {
  const random = seededRandom(sceneSeed);
  const play = (scene: Scene, isNamed: boolean) =>
    Array.from({ length: sceneDraws }, () => playScene(scene, random, isNamed));
  return scenes.map((scene) => {
    const [named, unnamed] = [play(scene, true), play(scene, false)];
    const confused = [...named, ...unnamed].filter((state) => state === oppositeOf(scene.name)).length;
    const share = (ends: readonly string[]) => percent(shareOf(ends, (state) => state === scene.name));
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
  const drawn = Array.from({ length: readings }, (_, index) => ({
    ...draw(scene, random),
    atMs: startMs + index * spacingMs,
    ...(isNamed && { subjectId: 'somebody' }),
  }));
  return findBand(advanceAll(drawn).at(-1)?.computed.score ?? 0).state;
}
