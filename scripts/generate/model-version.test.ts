import { expect, test } from 'vitest';
import { checkModelVersion, digestModel, scoreConstants } from './model-version.js';
import type { Submission } from '../../src/contract/contract.js';
import { findBand } from '../../packages/score/states.js';
import { advanceAll } from '../../testkit/arbitraries.js';
import recordings from './model-recordings.json' with { type: 'json' };

type Json = Record<string, unknown>;

/** Returns the path of each number in a value. */
function pathsOf(value: unknown): string[][] {
  if (typeof value === 'number') return [[]];
  const entries = Object.entries((value ?? {}) as Json);
  return entries.flatMap(([key, it]) => pathsOf(it).map((path) => [key, ...path]));
}

function changed(path: readonly string[], by: number): typeof scoreConstants {
  const copy = structuredClone(scoreConstants);
  let parent = copy as unknown as Json;
  for (const key of path.slice(0, -1)) parent = parent[key] as Json;
  parent[path.at(-1) ?? ''] = (parent[path.at(-1) ?? ''] as number) + by;
  return copy;
}

test('a change of any constant of the score requires a new digest beside the version', () => {
  expect(checkModelVersion(scoreConstants)).toBeUndefined();
  const paths = pathsOf(scoreConstants);
  expect(paths.length).toBeGreaterThan(90);
  for (const path of paths) {
    const other = changed(path, 0.001);
    expect(checkModelVersion(other), path.join('.')).toContain(digestModel(other));
  }
});

type Recording = (typeof recordings)[number];
interface Outcome {
  /** Number of readings by state. */
  readonly states: Readonly<Record<string, number>>;
  /** Of the last reading. */
  readonly score: number;
  readonly confidence: number;
  readonly rmssd?: number;
}

/** Returns the outcome of the present model for recorded inputs. */
function replay({ runs }: Recording): Outcome {
  let atMs = Date.UTC(2026, 0, 5, 9);
  const readings = runs.flatMap(({ times, every_seconds, cycle }) =>
    Array.from({ length: times }, (_, index) => {
      const reading = { ...(cycle[index % cycle.length] as Partial<Submission>), atMs };
      atMs += every_seconds * 1_000;
      return reading;
    }),
  );
  const steps = advanceAll(readings);
  const states: Record<string, number> = {};
  for (const { computed } of steps) {
    const { state } = findBand(computed.score);
    states[state] = (states[state] ?? 0) + 1;
  }
  const { computed, point } = steps.at(-1) as (typeof steps)[number];
  const { rmssd } = point.measured;
  return { states, score: computed.score, confidence: computed.confidence, ...(rmssd && { rmssd }) };
}

/** Returns an outcome as text, for example "focused 20, score 51". */
function describe({ states, score, confidence, rmssd }: Outcome): string {
  const counts = Object.entries(states).map(([state, count]) => `${state} ${count}`);
  const last = [`score ${score}`, `confidence ${confidence}`, ...(rmssd ? [`RMSSD ${rmssd} ms`] : [])];
  return [...counts.sort(), ...last].join(', ');
}

/** After a change of the score, run this file with `--update`, check each line, and describe the change in CHANGELOG.md. */
test('recorded inputs give these results', () => {
  const results = recordings.map((it) => `${it.name}: ${describe(replay(it))}`);
  expect(results).toMatchInlineSnapshot(`
    [
      "three hours of sleep, then three hours awake: calm 41, focused 38, relaxed 73, stressed 28, score 32, confidence 0.62",
      "half an hour of rest, then 25 bpm more: focused 1, relaxed 30, stressed 19, score 69, confidence 0.71",
      "25 bpm more, then half an hour of rest: focused 1, relaxed 58, stressed 21, score 21, confidence 0.68",
      "75 bpm more at stated rest: relaxed 31, stressed 19, score 70, confidence 0.7",
      "a voice that alternates every 2 s: focused 300, score 40, confidence 0.21",
      "concentrated work, 10 bpm more: focused 20, relaxed 30, score 51, confidence 0.37",
      "a hostile voice alone: focused 1, stressed 19, score 66, confidence 0.38",
      "text with a sentiment of -0.8: stressed 10, score 62, confidence 0.74",
      "intervals with 5 % shifted peaks: relaxed 10, score 32, confidence 0.62, RMSSD 46.6 ms",
    ]
  `);
});
