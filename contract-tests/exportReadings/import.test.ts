import type { Schema, Submission } from '../../src/contract/contract.js';
import { batchResults } from '../../testkit/batch.js';
import { setUp } from '../../testkit/consents.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

type Row = Schema<'ExportedReading'>;

/** Returns the rows of an export of the account. */
async function exported({ request }: TestService): Promise<Row[]> {
  const { body } = await request('/v1/export');
  const lines: string[] = body.split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}

async function historyOf({ request }: TestService, sessionId: string) {
  return (await request(`/v1/history?session_id=${sessionId}&minutes=60`)).body;
}

/** Beat-to-beat intervals in ms of a reading: about 70 bpm with a breathing rhythm. */
const beats = (from: number) => Array.from({ length: 12 }, (_, index) => 850 + Math.round(40 * Math.sin(from + index)));
const tones = ['calm', 'tense', 'neutral', 'anxious'] as const;

test('importing an export into an empty service gives the same history, if sessions share no signals', async () => {
  const service = await setUp(await startTestService(), { share_signals: false });
  const { clock, read } = service;
  for (let index = 0; index < 60; index += 1) {
    const reading: Partial<Submission> = {
      session_id: `s${index % 3}`,
      timestamp: clock.at(),
      heart_rate: 62 + ((index * 7) % 40),
      ...(index % 4 === 0 && { tone: tones[(index / 4) % 4] }),
      ...(index % 5 === 0 && { sentiment: -0.6, source_device: 'strap' }),
      // Two sessions of one person at the same time. One of them gets its subject later.
      ...(index % 3 < 2 && index > 9 && { subject_id: 'p' }),
    };
    const { heart_rate: _, ...withoutRate } = reading;
    await read(index % 6 === 5 ? { ...withoutRate, rr_intervals_ms: beats(index) } : reading);
    // Late readings are the newest for none of their signals.
    if (index % 20 === 19) await read({ ...reading, timestamp: clock.at(-30), heart_rate: 90 });
    clock.advance(10);
  }
  const rows = await exported(service);
  const empty = await startTestService();
  for (const session of ['s0', 's1', 's2']) expect((await historyOf(empty, session)).code).toBe('session_not_found');
  const lines = rows.map(({ reading }) => ({ ...reading, backfill: true }));
  await batchResults(empty, lines);
  for (const session of ['s0', 's1', 's2'])
    expect(await historyOf(empty, session)).toEqual(await historyOf(service, session));
  // A second import changes nothing.
  await batchResults(empty, lines);
  expect(await exported(empty)).toHaveLength(rows.length);
  const readings = (await exported(empty)).map(({ reading }) => reading);
  expect(readings).toEqual(lines);
});

test('current and backfilled readings are exported in the order of their acceptance', async ({ service }) => {
  const { clock, read } = service;
  const heartRates = [];
  for (let index = 0; index < 6; index += 1) {
    const reading = { session_id: 'mixed', subject_id: 'p', heart_rate: 70 + index };
    if (index % 2 === 0) await read(reading);
    else await batchResults(service, [{ ...reading, timestamp: clock.at(-3600), backfill: true }]);
    heartRates.push(reading.heart_rate);
    clock.advance(1);
  }
  const rows = await exported(service);
  expect(rows.map(({ reading }) => reading.heart_rate)).toEqual(heartRates);
  expect(rows.map(({ reading }) => reading.backfill)).toEqual([undefined, true, undefined, true, undefined, true]);
  for (const [index, { cursor }] of rows.entries())
    for (const scope of ['', '&session_id=mixed', '&subject_id=p']) {
      const { body } = await service.request(`/v1/export?cursor=${cursor}${scope}`);
      expect([...body.matchAll(/"cursor":"(\d+)"/g)].map(([, it]) => it)).toEqual(
        rows.slice(index + 1).map((row) => row.cursor),
      );
    }
});
