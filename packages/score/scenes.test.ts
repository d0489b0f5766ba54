import { expect, test } from 'vitest';
import { playScene } from '../../testkit/simulation/scenes.js';
import { scenes, seededRandom } from '../tools/terminal/scenes.js';

const draws = 300;
const opposites: Readonly<Record<string, string>> = { calm: 'acute_stress', acute_stress: 'calm' };
const everyScene = scenes.flatMap((scene) => [
  { scene, name: scene.name, whose: 'a named subject', isNamed: true },
  { scene, name: scene.name, whose: 'nobody named', isNamed: false },
]);

test.each(everyScene)(
  'the $name scene of $whose ends in its state in 95 of 100 draws, and never in the opposite of acute stress or calm',
  ({ scene, name, isNamed }) => {
    const random = seededRandom(2);
    const ends = Array.from({ length: draws }, () => playScene(scene, random, isNamed));
    expect(ends.filter((state) => state === name).length).toBeGreaterThanOrEqual(0.95 * draws);
    expect(ends).not.toContain(opposites[name] ?? 'no opposite');
  },
);
