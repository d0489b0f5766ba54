import { expect, test } from 'vitest';
import contract from '../../generated/openapi.json' with { type: 'json' };
import { bounds } from '../../generated/spec.js';
import { topicNames } from '../../packages/text/vocabulary.js';
import { updateBaseline, backfillBaseline } from '../../packages/score/baseline.js';
import { stressModel as model } from '../../packages/score/model.js';
import type { Baseline } from '../../packages/score/rows/person.js';
import { client, Clock, startTestService } from '../../testkit/service.js';
import { openKnex, temporaryDatabase } from '../../testkit/temporary-database.js';

const dayMs = 86_400_000;
/** The epoch ms at which the rows of version 1 were recorded, a minute after the last reading. */
const recordedAtMs = 1_767_608_400_000;
const sessionOfVersion1 =
  '"firstAtMs":1767607200000,"signals":{"heart_rate":{"value":57,"atMs":1767608340000},"sdnn":{"value":54,"atMs":1767608340000}},"recent":{"slots":[{"atMs":1767608280000,"bpm":54,"seconds":30}],"steadyBpm":56.532},"held":{"score":33,"atMs":1767608280000},"published":{},"latest":{"timestampMs":1767608340000,"score":33,"confidence":0.47,"received":["cardiovascular"],"reason":"Nothing stands out: heart rate 2 bpm above this person\'s resting heart rate, heart rate variability 5 % above a typical value.","previousScore":33}}';

/**
 * Starts the service on a database whose rows of the session `bound` (subject `anna`) and the session `alone` (no
 * subject) have other bodies. The service that wrote the rows is closed, so that no cache contains them.
 */
async function startWithRows(rows: { readonly subject: string; readonly bound: string; readonly alone: string }) {
  const [database, clock] = [await temporaryDatabase(), new Clock()];
  const before = await startTestService({ database, clock });
  const signals = { timestamp: clock.at(-60), heart_rate: 57 };
  await before.read({ session_id: 'bound', subject_id: 'anna', ...signals });
  await before.read({ session_id: 'alone', ...signals });
  await before.close();
  const knex = openKnex(database.url);
  const moved = (text: string) =>
    text.replace(/\b1767\d{9}\b/g, (ms) => String(Number(ms) - recordedAtMs + clock.nowMs));
  await knex('subjects').update({ body: moved(rows.subject) });
  for (const session_id of ['bound', 'alone'] as const)
    await knex('sessions')
      .where({ session_id })
      .update({ body: moved(rows[session_id]) });
  const readBody = async (table: string, where: object) => JSON.parse((await knex(table).where(where).first()).body);
  const readBodies = async () => ({
    subject: await readBody('subjects', { subject_id: 'anna' }),
    alone: await readBody('sessions', { session_id: 'alone' }),
  });
  const { url } = await startTestService({ database, clock });
  return { ...client(url, before.key, clock), clock, readBodies };
}

/** Maximum of a baseline as JSON, bytes. The docstring of `Baseline` states it. */
const baselineBytesMax = 12_800;
const { minimum, maximum } = bounds.SignalSubmission.heart_rate;
const { maxLength } = contract.components.schemas.DeviceLabel;
/** Returns a label of maximum length. JSON writes two characters for each quote. */
const longestLabel = (number: number) => `${'"'.repeat(maxLength - 1)}${number}`;

/**
 * Returns a baseline that is as long as learning can make it, except for about 2 %: one more digit in some numbers. Every
 * heart rate has at least 1,000 s with three decimals in the whole day and in each phase: longer than that, the capacity
 * halves the seconds. Every device has a label of maximum length.
 */
function longestBaseline(): Baseline {
  const endMs = Math.floor(recordedAtMs / dayMs) * dayMs;
  let baseline: Baseline | undefined;
  // The first pass is without a device.
  for (let number = 0; number <= model.baseline.devices_max; number += 1)
    for (const [index, isSkipped] of [false, false, true].entries()) {
      const atMs = endMs + 10_000 * number + 1_234 * index;
      const source_device = number === 0 ? undefined : longestLabel(number);
      const device = { name: longestLabel(number), atMs, changedMs: atMs };
      const measured = { heart_rate: maximum - 0.123, sdnn: 123.4, rmssd: 123.4, source_device, device };
      baseline = updateBaseline(baseline, { atMs, isSkipped, isRaised: true, ...measured });
    }
  // Two entries of 62.611 s are longer than the minimum of a bin entry, and eight such pairs are longer than 1,000 s.
  for (let atMs = endMs - dayMs; atMs < endMs; atMs += model.baseline.phase_hours * 3_600_000)
    for (let bpm = minimum; bpm <= maximum; bpm += model.baseline.bin_bpm)
      for (let added = 0; added < 16; added += 1)
        baseline = backfillBaseline(baseline, { atMs, heart_rate: bpm }, { heart_rate: 62.611, sdnn: 0, rmssd: 0 });
  return baseline ?? {};
}

test('the longest baseline has at most 12,800 bytes, and is stored, shown and learned further', async () => {
  const baseline = JSON.stringify(longestBaseline());
  expect(Buffer.byteLength(baseline)).toBeLessThanOrEqual(baselineBytesMax);
  const names = JSON.stringify(topicNames);
  const { request, read, readBodies } = await startWithRows({
    subject: `{"v":1,"active":${names},"resolved":[],"baseline":${baseline}}`,
    bound: `{"v":1,${sessionOfVersion1}`,
    alone: `{"v":1,"baseline":${baseline},"sightedTopics":${names},${sessionOfVersion1}`,
  });
  const { heart_rate, devices } = (await request('/v1/subjects/anna')).body.baseline;
  expect(heart_rate.histogram).toHaveLength((maximum - minimum) / model.baseline.bin_bpm + 1);
  expect(devices).toHaveLength(model.baseline.devices_max + 1);
  for (const session_id of ['bound', 'alone']) {
    const { baseline, action_reason } = await read({ session_id, heart_rate: 78, sdnn: 50, source_device: 'watch' });
    expect(baseline).toMatchObject({ status: 'known', progress: 1 });
    expect(action_reason).toContain('typical');
  }
  const { subject, alone } = await readBodies();
  for (const { baseline } of [subject, alone]) {
    expect(baseline.devices.map((it: { device: string }) => it.device)).toContain('watch');
    expect(Object.keys(baseline.heart_rate.phases)).toHaveLength(24 / model.baseline.phase_hours);
    expect(JSON.stringify(baseline).length).toBeLessThanOrEqual(baselineBytesMax);
  }
});
