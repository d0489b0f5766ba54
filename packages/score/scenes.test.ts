import { expect, test } from 'vitest';
import { playScene } from '../../testkit/simulation/scenes.js';
import { type Scene, scenes, seededRandom } from '../tools/terminal/scenes.js';

const draws = 1_000;
const everyScene = scenes.flatMap((scene) => [
  { scene, name: scene.name, whose: 'a named subject', isNamed: true },
  { scene, name: scene.name, whose: 'nobody named', isNamed: false },
]);

function endsOf(scene: Scene, isNamed: boolean): string[] {
  const random = seededRandom(2);
  return Array.from({ length: draws }, () => playScene(scene, random, isNamed));
}

test.each(everyScene)('the $name scene of $whose ends in its state in 95 of 100 draws', ({ scene, isNamed }) => {
  const hits = endsOf(scene, isNamed).filter((state) => state === scene.name);
  expect(hits.length).toBeGreaterThanOrEqual(0.95 * draws);
});

test.each([false, true])('a calm scene never ends in acute stress, nor the reverse (with subject: %s)', (isNamed) => {
  const opposite: Readonly<Record<string, string>> = { calm: 'acute_stress', acute_stress: 'calm' };
  for (const scene of scenes.filter(({ name }) => name in opposite))
    expect(endsOf(scene, isNamed)).not.toContain(opposite[scene.name]);
});
