import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/config/config.js';
import type { OperationId } from '../../src/contract/contract.js';
import { type Names, readWhose, wholeAccount } from '../../src/contract/whose.js';
import { createLog } from '../../src/observe/log.js';
import { startCore } from '../../src/serve/core.js';
import { settingsFor } from '../../testkit/databases.js';
import { grantOf } from '../../testkit/grants.js';
import { startTestService } from '../../testkit/service.js';
import { openKnex } from '../../testkit/temporary-database.js';

const parallel = 4;

/** Stores 3,000 readings of a person and 600 reports in one account, and one reading in another. Starts a core. */
async function start() {
  const service = await startTestService({});
  const { read, accountId, clock, database } = service;
  await read({ session_id: 's1', subject_id: 'p', heart_rate: 60 });
  const knex = openKnex(database.url);
  const first = await knex('session_readings').first();
  const copies = Array.from({ length: 3_000 }, (_, index) => ({
    ...first,
    position: Number(first.position) + 2 * (index + 1),
    timestamp_ms: Number(first.timestamp_ms) + index,
    digest: index.toString(16).padStart(12, '0'),
  }));
  await knex.batchInsert('session_readings', copies, 200);
  await knex('stream_positions')
    .where({ account_id: accountId })
    .update({ position: copies.at(-1)?.position });
  const report = { account_id: accountId, subject_id: 'p', stress: 5, recorded_at_ms: clock.nowMs };
  const reports = copies.slice(0, 600).map(({ digest, timestamp_ms }) => {
    return { ...report, feedback_id: `fb_00000000${digest}`, timestamp_ms };
  });
  await knex.batchInsert('feedback', reports, 50);
  const session = await knex('sessions').where({ account_id: accountId }).first();
  const neighbor = { account_id: 'acc_0123456789ab', incarnation: 'bbbbbbbbbbbb' };
  await knex('sessions').insert({ ...session, ...neighbor, subject_id: null });
  clock.advance(60);
  const ignore = () => undefined;
  const host = {
    wakeStreams: ignore,
    observeGroup: ignore,
    observeReplacement: ignore,
    observeAttempt: ignore,
    observeStatus: ignore,
    observeAlerts: ignore,
  };
  const core = await startCore({
    config: readConfig({ ...settingsFor(database.url), WORKER: '0' }),
    log: createLog('silent', { write: ignore }),
    now: clock.now,
    host: { ...host, setClock: ignore },
  });
  onTestFinished(core.close);
  return { core, mine: accountId, neighbor: neighbor.account_id };
}

const toInput = (query: object, params: object) => ({
  ...{ query, params, body: undefined },
  whose: readWhose({ ...query, ...params } as Names),
});

const requests: ReadonlyArray<[OperationId, object, object]> = [
  ['getHistory', { subject_id: 'p', minutes: 60 }, {}],
  ['getHistory', { session_id: 's1', minutes: 60 }, {}],
  ['getSubjectSummary', {}, { subject_id: 'p' }],
  ['listFeedback', {}, {}],
];

test('a state of another account is read before the responses of earlier requests, and of pages of exports, of one account', async () => {
  const { core, mine, neighbor } = await start();
  const order: string[] = [];
  const ask = (id: OperationId, accountId: string, input: ReturnType<typeof toInput>, name: string) =>
    core.operate(id, input, grantOf(accountId)).then(({ status }) => {
      expect(status).toBe(200);
      order.push(name);
    });
  const askNeighbor = () => ask('getState', neighbor, toInput({ session_id: 's1' }, {}), 'neighbor');
  for (const [operation, query, params] of requests) {
    order.length = 0;
    const all = Array.from({ length: parallel }, () => ask(operation, mine, toInput(query, params), 'mine'));
    await Promise.all([...all, askNeighbor()]);
    expect([operation, order[0]]).toEqual([operation, 'neighbor']);
  }
  const scope = { caller: grantOf(mine), whose: wholeAccount, format: 'ndjson' } as const;
  const from = await core.beginExport(scope, undefined);
  order.length = 0;
  const pages = Array.from({ length: parallel }, () => core.readExportPage(scope, from).then(() => order.push('page')));
  await Promise.all([...pages, askNeighbor()]);
  expect(order[0]).toBe('neighbor');
});

test('what an account changes begins after at most a few of the earlier changes of another account', async () => {
  const { core, mine, neighbor } = await start();
  const order: string[] = [];
  const erase = (accountId: string, name: string) =>
    core
      .operate('deleteSubject', toInput({}, { subject_id: 'nobody' }), grantOf(accountId))
      .catch(({ code }) => order.push(`${name} ${code}`));
  const flood = Array.from({ length: 50 }, () => erase(mine, 'flood'));
  await Promise.all([...flood, erase(neighbor, 'neighbor')]);
  const place = order.indexOf('neighbor subject_not_found');
  expect(place).toBeGreaterThanOrEqual(0);
  expect(place).toBeLessThan(10);
});
