import { expect, test } from 'vitest';
import { type Names, readWhose } from '../../src/contract/whose.js';
import { createAdmitSession } from '../../src/limits/new-session-limit.js';
import { createWindowLimit } from '../../src/limits/window-limit.js';
import { operations } from '../../src/operations/index.js';
import type { Services } from '../../src/operations/operation.js';
import { processGroup } from '../../src/readings/group.js';
import { claimDue, countDeliveries, findDueQueues } from '../../src/store/delivery-queue.js';
import { findDueAccounts } from '../../src/store/due-accounts.js';
import { purgeReadings } from '../../src/store/expired-readings.js';
import { createPositionReader } from '../../src/store/readings-by-position.js';
import { findSubjectSummary } from '../../src/store/subject-summary.js';
import { databaseKind } from '../../testkit/databases.js';
import { grantOf } from '../../testkit/grants.js';
import { erasing } from '../../testkit/stored.js';
import { live } from './live.js';
import { faultsOf, mayScan, planOf, searchesOf } from './plans.js';
import { daySeconds, type Filled, recordStatements, startFilled, type Statement } from './recorded.js';

/** The service, with the statements of a store that no work in the background uses. */
async function filled() {
  const service = await startFilled();
  return { ...service, statementsOf: (work: () => Promise<unknown>) => recordStatements(service.store, work) };
}

/** Runs an operation for a person, without HTTP. */
function read({ store, clock, accountId }: Filled, operationId: 'getState' | 'getHistory' | 'getTriggers') {
  const query = { subject_id: 'crowd-7' };
  const services = { store, now: clock.now, absences: () => [], pause: async () => undefined } as unknown as Services;
  const input = { query, params: undefined, body: undefined, whose: readWhose({ ...(query as Names) }) };
  return operations[operationId].handle(services, input, grantOf(accountId));
}

test('an export and the stream of a person search a range of positions, not all readings of the account, session or person', async () => {
  const heard = await filled();
  const { accountId } = heard;
  const readings = createPositionReader(heard.store.read(accountId));
  const range = { after: 1, through: 2 };
  const indexes: Array<[string, () => Promise<unknown>]> = [
    [databaseKind === 'sqlite' ? 'PRIMARY KEY' : 'PRIMARY', () => readings.exportAccount(range, 10)],
    ['session_readings_by_session', () => readings.exportSession('crowd-7', range, 10)],
    [
      'session_readings_by_session',
      () => readings.exportSessions({ kind: 'person', subjectId: 'crowd-7' }, range, 10, range.through),
    ],
    ['session_readings_by_session', () => readings.streamSessions({ kind: 'person', subjectId: 'crowd-7' }, range, 10)],
  ];
  for (const [index, work] of indexes) {
    const [own, replaced, ...more] = await heard.statementsOf(work);
    expect(more).toEqual([]);
    // Rows that replaced others are found by the position of their replacement.
    const late = index.replace('session_readings_', 'late_readings_');
    const searches = [[own, 'r', index], ...(replaced ? [[replaced, 'l', late] as const] : [])] as const;
    for (const [statement, table, key] of searches) {
      const plan = JSON.stringify(await planOf(heard, statement as Statement));
      if (databaseKind === 'sqlite')
        expect(plan).toMatch(new RegExp(`SEARCH ${table} USING [^"]*${key} [^"]*position>\\? AND position<\\?`));
      else expect(plan).toMatch(new RegExp(`"table":"${table}"[^}]*"key":"${key}"|Impossible WHERE`));
    }
  }
});

const [bySubject, person] = ['sessions_by_subject', '(account_id=? AND subject_id=?)'];
const isOnePerson = `SEARCH subjects USING INDEX sqlite_autoindex_subjects_1 ${person}`;
const isListed = `SEARCH sessions USING COVERING INDEX ${bySubject} ${person}`;
const isCounted = 'SEARCH deliveries USING COVERING INDEX deliveries_by_receiver (status=?)';
/** Reads with the number of their queries, and what these search on SQLite and on MySQL. */
const reads: ReadonlyArray<
  readonly [title: string, work: (of: Filled) => Promise<unknown>, count: number, sqlite: string[], mysql: string[]]
> = [
  [
    'the state of a person is read on primary keys',
    (of) => read(of, 'getState'),
    2,
    [isOnePerson, 'SEARCH sessions USING INDEX sqlite_autoindex_sessions_1 (account_id=? AND session_id=?)'],
    ['subjects PRIMARY', 'sessions PRIMARY'],
  ],
  [
    'the history of a person searches the window of each session of the person',
    (of) => read(of, 'getHistory'),
    3,
    [
      `SEARCH sessions USING INDEX ${bySubject} ${person}`,
      'SEARCH r USING INDEX session_readings_by_session (account=? AND incarnation=? AND position>? AND position<?)',
      'SEARCH l USING COVERING INDEX late_readings_by_digest (account=? AND incarnation=? AND timestamp_ms>? AND timestamp_ms<?)',
      'SEARCH r USING PRIMARY KEY (account=? AND position=?)',
    ],
    [`sessions ${bySubject}`, 'r session_readings_by_session', 'l late_readings_by_digest alone', 'r PRIMARY'],
  ],
  [
    'a profile is read on primary keys',
    (of) => read(of, 'getTriggers'),
    2,
    [`SEARCH triggers USING PRIMARY KEY ${person}`, isOnePerson],
    ['triggers PRIMARY', 'subjects PRIMARY'],
  ],
  [
    'the sessions of a subject are read from an index alone',
    ({ store, accountId }) => findSubjectSummary(store.read(accountId), 'crowd-7'),
    1,
    [isOnePerson, isListed, isListed, isListed],
    ['subjects PRIMARY', `sessions ${bySubject} alone`],
  ],
  [
    'deliveries are counted from an index alone',
    ({ store }) => store.run((knex) => countDeliveries(knex)),
    1,
    [isCounted, isCounted],
    ['deliveries deliveries_by_receiver alone', 'deliveries deliveries_by_receiver alone'],
  ],
];

test.each(reads)('%s', async (_, work, count, sqlite, mysql) => {
  const service = await filled();
  const queries = await service.statementsOf(() => work(service));
  expect(queries).toHaveLength(count);
  expect(await searchesOf(service, queries)).toEqual(databaseKind === 'sqlite' ? sqlite : mysql);
});

test('concurrent new sessions are looked up in batches', async () => {
  const heard = await filled();
  const count = createWindowLimit({ policy: 'new-sessions', quota: 1_000_000, windowSeconds: 60 });
  const admit = createAdmitSession(heard.store, { perKey: count, perClient: count }, false);
  const begin = (index: number) => admit(grantOf(`account-${index % 2}`), `new-${index}`);
  const statements = await heard.statementsOf(() => Promise.all(Array.from({ length: 1_000 }, (_, it) => begin(it))));
  const questions = statements.filter(({ sql }) => /^select .* from `sessions` .*`body` is not null/.test(sql));
  expect(questions.length).toBeGreaterThan(0);
  // Per account, one query for the first session and one query per 500 queued sessions.
  expect(questions.length).toBeLessThanOrEqual(2 * 4);
});

test('a resend is looked up among the readings of two minutes, not among all readings of its session', async () => {
  const heard = await filled();
  const { accountId } = heard;
  const timestampMs = heard.clock.nowMs;
  const resend = () =>
    Promise.all(
      [90, 91].map((heart_rate) => {
        const reading = { accountId, sessionId: 'ours', timestampMs, signals: { heart_rate } };
        const group = [{ ...reading, digest: `0123456789${heart_rate}` }];
        return processGroup(heard.store, group, timestampMs, erasing(heard).digestId);
      }),
    );
  await resend();
  const query = (await heard.statementsOf(resend)).find(({ sql }) =>
    /^select r\.incarnation, .* union all .* late_readings/s.test(sql),
  );
  const plan = await planOf(heard, query as Statement);
  // The key length 32 covers the account, the session and the position.
  const wholeKey =
    databaseKind === 'sqlite'
      ? /session_readings_by_session \(account=\? AND incarnation=\? AND position>\? AND position<\?\)/
      : /"type":"range","possible_keys":"[^"]*","key":"session_readings_by_session","key_len":"(32|44)"/;
  expect(JSON.stringify(plan)).toMatch(wholeKey);
});

test('a purge searches the expired readings of each account, not all readings', async () => {
  const heard = await filled();
  const beforeMs = heard.clock.nowMs - daySeconds * 1_000;
  const purge = async () => {
    const due = await heard.store.run((knex) =>
      findDueAccounts(knex, { beforeMs, nowMs: heard.clock.nowMs }, { accountId: '', purgedToMs: 0 }, 10),
    );
    expect(due.length).toBeGreaterThan(0);
    for (const { accountId } of due) await heard.store.run((knex) => purgeReadings(knex, accountId, beforeMs, 10));
  };
  for (const statement of await heard.statementsOf(purge)) {
    const plan = await planOf(heard, statement);
    const reads = plan.filter(({ table, detail }) => /session_readings/.test(detail ?? table ?? ''));
    for (const { type = 'range', detail = 'SEARCH' } of reads) {
      expect(['range', 'ref'], statement.sql).toContain(type);
      expect(detail).toMatch(/^SEARCH/);
    }
  }
});

test('queues with due deliveries are found by a skip scan of the index', async () => {
  const heard = await filled();
  const queries = await heard.statementsOf(() => heard.store.run((knex) => findDueQueues(knex)));
  // SQLite searches each queue with the same statement, and the last time without a result.
  expect(new Set(queries.map(({ sql }) => sql)).size).toBe(1);
  const plan = await planOf(heard, queries[0] as Statement);
  if (databaseKind === 'mysql') {
    expect(queries).toHaveLength(1);
    expect(plan).toMatchObject([{ key: 'deliveries_by_receiver', Extra: 'Using where; Using index for group-by' }]);
    return;
  }
  const searches = plan
    .map(({ detail = '' }) => detail)
    .filter((detail) => /^S(EARCH|CAN) (first|deliveries)/.test(detail));
  expect(searches).toHaveLength(2);
  for (const detail of searches)
    expect(detail).toMatch(/USING COVERING INDEX deliveries_by_receiver \(status=\? AND receiver[>=]\?\)$/);
});

test.each([1, 4])('a claim of %i deliveries reads only the due deliveries of each queue', async (count) => {
  const heard = await filled();
  const range = { nowMs: heard.clock.nowMs, leasedUntilMs: heard.clock.nowMs + 30_000 };
  const queues = (await heard.store.run((knex) => findDueQueues(knex))).slice(0, count);
  const shares = queues.map((queue) => ({ queue, count }));
  const claim = () => heard.store.run((knex) => claimDue(knex, { owner: '0'.repeat(16), ...range, shares }));
  const [query, ...taking] = await heard.statementsOf(claim);
  const plan = JSON.stringify(await planOf(heard, query as Statement));
  expect(plan).toContain('deliveries_by_receiver');
  if (databaseKind === 'sqlite') expect(plan).toMatch(/\(status=\? AND receiver=\? AND due_at_ms[<>]\?\)/);
  expect(plan).not.toMatch(/filesort|TEMP B-TREE|deliveries_by_(?!receiver)/);
  // The updates find their rows by primary key, regardless of the number of other due deliveries.
  expect(taking.length).toBeGreaterThan(1);
  for (const statement of taking) {
    expect(JSON.stringify(await planOf(heard, statement))).toMatch(/PRIMARY|sqlite_autoindex_deliveries_1/);
    expect(await faultsOf(heard, statement)).toEqual([]);
  }
});

/** The tables that the service reads, changes and deletes from. Two are read once per minute, in the background. */
const statements = {
  delete: `access_chains access_entries alert_firings alert_people alert_rules alert_seeds consents deliveries devices erased_ids
    erasures facts feedback idempotency_keys late_readings outbox person_links session_readings sessions source_keys
    subject_hours subjects triggers webhooks`,
  select: `access_chains access_entries access_subjects accounts alert_firings alert_lease alert_people alert_rules
    alert_seeds api_keys consents deliveries devices erased_ids erasures facts feedback idempotency_keys key_audit late_readings
    outbox person_links receipt_keys schema_migrations session_readings sessions source_keys stream_positions
    subject_hours subjects triggers usage_hours usage_months webhooks`,
  update: `access_subjects accounts alert_seeds api_keys deliveries erased_ids facts feedback idempotency_keys key_audit outbox
    person_links receipt_keys sessions source_keys stream_positions subjects webhooks`,
};

// The last test, because the purge and the erasures delete rows. Explains some hundred statements, which takes minutes
// while other tests run.
test('every query of the service searches an index', { timeout: 240_000 }, async () => {
  const heard = await filled();
  const all = await recordStatements(heard.own, () => live(heard));
  // TiDB refuses shared locks, and Vitess refused recursive queries for long.
  expect(all.filter(({ sql }) => /for share|lock in share mode|with recursive|skip locked/i.test(sql))).toEqual([]);
  // Knex writes this condition for a list without values, of which nothing is to be read.
  expect(all.filter(({ sql }) => /\b1 = \?/.test(sql))).toEqual([]);
  // An insert of values searches no other rows. The readiness check has a false condition.
  const searches = [...new Map(all.map((it) => [it.sql, it])).values()].filter(
    ({ sql }) => /^(select|update|delete)/.test(sql) && !/ where 1 = 0/.test(sql),
  );
  const faults = await Promise.all(searches.map(async (it) => [it.sql, await faultsOf(heard, it)] as const));
  expect(faults.filter(([sql, found]) => found.length > 0 && !mayScan.some((it) => it.test(sql)))).toEqual([]);
  // Checks that the test covers every statement.
  const namesOf = ({ sql }: Statement) => sql.replace(/^(\w+)(?:[^]*? from)? `?(\w+)`?[^]*/, '$1 $2');
  const names = [...new Set(searches.map(namesOf))].filter((it) => !/ (applied_retention|service_runs)$/.test(it));
  const expected = Object.entries(statements).flatMap(([verb, tables]) =>
    tables.split(/\s+/).map((it) => `${verb} ${it}`),
  );
  expect(names.sort()).toEqual(expected);
});
