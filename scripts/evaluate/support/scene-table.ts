import { type Scene, scenes, seededRandom } from '../../../src/terminal/scenes.js';
import type { Column, TableRow } from '../../../src/terminal/table.js';
import { playScene } from './play-scene.js';

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
