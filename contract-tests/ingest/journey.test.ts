import { beforeAll, expect, test, vi } from 'vitest';
import { type Journey, recordJourney } from '../../testkit/journey.js';
import { startTestService } from '../../testkit/service.js';

let [heartRate, turn]: Journey[] = [];

/** Files that write what requests have counted, twice a second. On a slow machine they run in each journey. */
const periodic = [
  ...['src/store/usage.ts', 'src/access-record/record.ts', 'src/access-record/chain.ts'],
  'src/store/repeat.ts',
];

/**
 * Records equal requests after the first ones, with both threads of the service on one. What the service has looked up,
 * such as the key, stays fresh, however slow the machine is.
 */
beforeAll(async () => {
  const service = await startTestService();
  const record = async (signals: Parameters<typeof service.read>[0]) => {
    for (let warm = 0; warm < 3; warm += 1) {
      await service.read(signals);
      service.clock.advance(5);
    }
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    // What is not part of a request, such as the worker or the purge, is not in each of five journeys.
    const journeys: Journey[] = [];
    try {
      while (journeys.length < 5) {
        journeys.push(await recordJourney(() => service.read(signals)));
        service.clock.advance(5);
      }
    } finally {
      clock.mockRestore();
    }
    const isEverywhere = (path: string) => !periodic.includes(path) && journeys.every((it) => it.has(path));
    return new Map([...(journeys[0] ?? [])].filter(([path]) => isEverywhere(path)));
  };
  heartRate = await record({ session_id: 'watch', heart_rate: 70 });
  const texts = { user_message: 'My boss keeps yelling at me about the deadline.', ai_response: 'That sounds hard.' };
  turn = await record({ session_id: 'chat', subject_id: 'p', heart_rate: 70, tone: 'tense', ...texts });
  print('A warm heart rate', heartRate);
  print('A warm turn with text', turn);
});

function print(title: string, journey: Journey): void {
  const count = [...journey.values()].reduce((sum, calls) => sum + calls.length, 0);
  const lines = [...journey].map(([path, calls]) => `  ${path}: ${calls.map(({ name }) => name || '()').join(' ')}`);
  console.log(`${title}: ${journey.size} files, ${count} functions\n${lines.sort().join('\n')}`);
}

test('a heart rate runs through at most 66 files, and a turn with text through at most 103', () => {
  const paths = (journey?: Journey) => [...(journey?.keys() ?? [])].sort().join(' ');
  expect(heartRate?.size).toBeGreaterThan(30);
  expect(heartRate?.size, paths(heartRate)).toBeLessThanOrEqual(66);
  expect(turn?.size, paths(turn)).toBeLessThanOrEqual(103);
});

/** Files that only an addition needs: consent, text, tokens, the record of accesses, webhooks, streams, tools, retention. */
const additions =
  /^(?:packages\/(?!score\/)|src\/(?:access-record|webhooks|streaming|retention|cli)|src\/\w+\/(?:consents?|feedback|topics|triggers|gather|attribution|rr-intervals|session-token|receipts|mcp|documentation|outbox|erased-ids|subjects?|person|samples|alerts|consent|own-sessions)\b|src\/store\/migrate\b)/;

test('a heart rate of a bare account runs through no file of an addition', () => {
  expect([...(heartRate?.keys() ?? [])].filter((path) => additions.test(path))).toEqual([]);
});

test('the texts of a turn run through files of the text package', () => {
  expect([...(turn?.keys() ?? [])].filter((path) => additions.test(path)).length).toBeGreaterThan(5);
});
