import { randomUUID } from 'node:crypto';
import type { Schema } from '../../src/contract/contract.js';
import { batchResults, exportRows } from '../../testkit/batch.js';
import { connectPhone, metric } from '../../testkit/phone.js';
import type { TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

/** Returns the score of each time of a session. */
async function scoresOf(service: Pick<TestService, 'request'>, session: string): Promise<unknown[]> {
  const rows = await exportRows(service, `session_id=${session}`);
  return rows.map(({ reading, computed }) => [reading.timestamp, computed.stress_score, computed.action_reason]).sort();
}

/** Returns six heart rates after a calm one, of the last minute. */
function listRates({ clock }: Pick<TestService, 'clock'>, session_id: string): object[] {
  return [70, 92, 93, 95, 97, 96, 94].map((heart_rate, index) => ({
    ...{ session_id, timestamp: clock.at(index * 10 - 60), heart_rate },
  }));
}

test('lines of a session are scored in the order of their times', async ({ service }) => {
  const [ascending, descending, shuffled] = [randomUUID(), randomUUID(), randomUUID()];
  const [first, ...others] = listRates(service, shuffled);
  await batchResults(service, listRates(service, ascending));
  const results = await batchResults(service, listRates(service, descending).reverse());
  expect(results.map(({ line, status }) => [line, status])).toEqual(results.map((_, at) => [at + 1, 200]));
  await batchResults(service, [...others, first as object].reverse());
  const expected = await scoresOf(service, ascending);
  expect(await scoresOf(service, descending)).toEqual(expected);
  expect(await scoresOf(service, shuffled)).toEqual(expected);
});

test('lines of which only the first one names the person are scored in the order of their times', async ({
  service,
}) => {
  const [ascending, descending] = [randomUUID(), randomUUID()];
  const naming = ([first, ...others]: object[], subject_id: string) => [{ ...first, subject_id }, ...others];
  await batchResults(service, naming(listRates(service, ascending), randomUUID()));
  await batchResults(service, naming(listRates(service, descending).reverse(), randomUUID()));
  expect(await scoresOf(service, descending)).toEqual(await scoresOf(service, ascending));
});

test('a batch of more lines than a group is scored in the order of their times', async ({ service }) => {
  const [ascending, descending] = [randomUUID(), randomUUID()];
  const listAll = (session_id: string) =>
    Array.from({ length: 280 }, (_, at) => ({
      ...{ session_id, timestamp: service.clock.at(at - 280), heart_rate: 70 + Math.floor(at / 10) },
    }));
  await batchResults(service, listAll(ascending));
  await batchResults(service, listAll(descending).reverse());
  expect(await scoresOf(service, descending)).toEqual(await scoresOf(service, ascending));
});

test('the person of a session, samples and refusals follow the order of the lines', async ({ service }) => {
  const [session, anna, ben] = [randomUUID(), randomUUID(), randomUUID()];
  const [calm, ...raised] = listRates(service, session);
  const lines = [
    { ...raised[5], subject_id: anna },
    { ...raised[4], subject_id: ben },
    { ...raised[3], sample_id: 's' },
    { ...raised[2], sample_id: 's' },
    { ...calm },
    { ...raised[3], sample_id: 's', sample_revision: 1, heart_rate: 90 },
  ];
  const codes = (await batchResults(service, lines)).map(({ status, error, sample }: Schema<'LineResult'>) => [
    ...[status, error?.errors?.[0]?.code ?? sample],
  ]);
  expect(codes).toEqual([
    [200, undefined],
    [422, 'subject_mismatch'],
    [200, 'stored'],
    [422, 'sample_mismatch'],
    [200, undefined],
    [200, 'replaced'],
  ]);
  const rows = await exportRows(service, `session_id=${session}`);
  expect(rows.map(({ reading }) => reading.heart_rate).sort()).toEqual([70, 90, 94]);
  expect((await service.get(`/v1/sessions?subject_id=${anna}`)).sessions).toHaveLength(1);
});

test('live samples of one post are scored in the order of their times', async ({ service }) => {
  const scores = [];
  for (const isReversed of [false, true]) {
    const phone = await connectPhone(service, 'health_auto_export');
    const rates = [70, 92, 93, 95, 97, 96, 94].map((bpm, index): [number, number] => [
      ...([service.clock.nowMs + index * 10_000 - 70_000, bpm] as const),
    ]);
    await phone.post({ data: { metrics: [metric('heart_rate', 'count/min', isReversed ? rates.reverse() : rates)] } });
    const rows = await exportRows(phone.operator, `subject_id=${phone.subjectId}`);
    scores.push(rows.map(({ reading, computed }) => [reading.timestamp, computed.stress_score]).sort());
  }
  expect(scores[1]).toEqual(scores[0]);
  expect(scores[0]).toHaveLength(7);
});
