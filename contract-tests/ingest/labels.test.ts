import { expect, test } from 'vitest';
import { changesOf, type StreamReading } from '../../testkit/simulation/everyday-claims.js';
import { enums } from '../../generated/spec.js';
import type { StateReading } from '../../src/contract/contract.js';
import { seededRandom } from '../../packages/tools/terminal/scenes.js';
import { batchResults } from '../../testkit/batch.js';
import { startTestService, type TestService } from '../../testkit/service.js';

type Answered = StateReading & { readonly second: number };

const seeds = [1, 2, 3];
/** Time span of the readings of one batch, s. A reading must not be older than 300 s. */
const batchSeconds = 240;

/** Returns one reading per `every` seconds until `until`. */
function stream(every: number, until: number, readingAt: (index: number) => Omit<StreamReading, 'second'>) {
  return Array.from({ length: Math.ceil(until / every) }, (_, index) => ({
    second: index * every,
    ...readingAt(index),
  }));
}

/** Plays each stream in its own session, in batches over HTTP. Returns the responses per stream. */
async function play(service: TestService, streams: readonly (readonly StreamReading[])[]): Promise<Answered[][]> {
  const answered = streams.map((): Answered[] => []);
  const startMs = service.clock.nowMs;
  const end = Math.max(...streams.map((readings) => readings.at(-1)?.second ?? 0));
  for (let from = 0; from <= end; from += batchSeconds) {
    service.clock.advance(batchSeconds);
    const isWithin = ({ second }: StreamReading) => second >= from && second < from + batchSeconds;
    const sent = streams.flatMap((readings, index) => readings.filter(isWithin).map((it) => ({ index, ...it })));
    for (let at = 0; at < sent.length; at += 1000) {
      const part = sent.slice(at, at + 1000);
      const lines = part.map(({ index, second, ...signals }) => {
        const timestamp = new Date(startMs + second * 1000).toISOString();
        return { session_id: `stream-${index}`, timestamp, ...signals };
      });
      for (const [line, { state, error }] of (await batchResults(service, lines)).entries()) {
        const { index, second } = part[line] as { index: number; second: number };
        if (!state) throw new Error(JSON.stringify(error));
        answered[index]?.push({ ...state, second });
      }
    }
  }
  return answered;
}

function pick<T>(random: () => number, values: readonly T[]): T {
  return values[Math.floor(random() * values.length)] as T;
}

test('labels that alternate or are random change the state at most 10 times in 20 minutes', async () => {
  const pairs = [
    ['tense', 'neutral'],
    ['hostile', 'calm'],
    ['focused', 'calm'],
  ] as const;
  const alternating = pairs.map((pair) => stream(2, 1200, (index) => ({ tone: pair[index % 2] ?? 'calm' })));
  const random = seeds.flatMap((seed) => {
    const next = seededRandom(seed);
    const voice = () => ({ tone: pick(next, enums.Tone) });
    const face = () => ({ ...voice(), expression: pick(next, enums.Expression) });
    const words = () => ({ ...face(), sentiment: Math.round(20 * next() - 10) / 10 });
    return [voice, face, words].map((labels) => stream(5, 1200, labels));
  });
  const answered = await play(await startTestService(), [...alternating, ...random]);
  for (const [index, responses] of answered.entries())
    expect(changesOf(responses), `stream ${index}`).toBeLessThanOrEqual(10);
});

test('a hostile or anxious voice alone gives the state stressed only when it is repeated', async () => {
  const tones = ['hostile', 'anxious'] as const;
  const streams = tones.flatMap((tone) => [2, 10, 30].map((every) => stream(every, 150, () => ({ tone }))));
  for (const responses of await play(await startTestService(), streams)) {
    expect(responses[0]?.state).toBe('focused');
    expect(responses.at(-1)?.state).toBe('stressed');
  }
});

test.each(seeds)('a reading with sentiment −0.8 gives the state stressed immediately (seed %i)', async (seed) => {
  const random = seededRandom(seed);
  const before = stream(10, 300, () => ({ heart_rate: 67 + 6 * random(), tone: 'neutral', sentiment: 0 }));
  const [responses = []] = await play(await startTestService(), [[...before, { second: 301, sentiment: -0.8 }]]);
  expect(responses.slice(-2).map(({ state }) => state)).toEqual(['relaxed', 'stressed']);
});

test('a focused voice and a concentrated face with 10 bpm more give the state focused', async () => {
  const streams = seeds.map((seed) => {
    const random = seededRandom(seed);
    const work = { tone: 'focused', expression: 'concentrated' } as const;
    return stream(10, 2700, (index) => ({
      heart_rate: (index < 90 ? 66 : 76) + 6 * random() - 3,
      ...(index >= 90 && work),
    }));
  });
  for (const responses of await play(await startTestService(), streams))
    for (const { second, state } of responses) expect(state).toBe(second < 900 ? 'relaxed' : 'focused');
});

test('after a tense conversation, a calm voice with positive words gives the state relaxed within 2 minutes', async () => {
  const calmFrom = 120;
  const readings = stream(5, calmFrom + 180, (index) =>
    5 * index < calmFrom ? { tone: 'hostile', sentiment: -0.5 } : { tone: 'calm', sentiment: 0.4 },
  );
  const [responses = []] = await play(await startTestService(), [readings]);
  expect(responses.find(({ second }) => second === calmFrom - 5)?.state).toBe('stressed');
  for (const { second, state } of responses) if (second >= calmFrom + 120) expect(['calm', 'relaxed']).toContain(state);
});
