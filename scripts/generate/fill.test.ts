import { expect, test } from 'vitest';
import { figures } from './figures.js';
import { fill } from './fill.js';

test('a changed figure is updated in its guide', () => {
  const stale = 'Kept <!--= retention.readings_hours -->1<!--/--> hours.';
  expect(fill(stale, figures)).toBe('Kept <!--= retention.readings_hours -->192<!--/--> hours.');
  expect(() => fill('<!--= retention.moons --><!--/-->', figures)).toThrow('no figure retention.moons');
});
