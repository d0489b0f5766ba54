import { readFile } from 'node:fs/promises';
import type { Knex } from 'knex';
import { expect, test } from 'vitest';
import { createTexts } from '../../packages/text/texts.js';
import { createChain, startEvidence } from '../../src/access-record/chain.js';
import { startAccessRecord } from '../../src/access-record/record.js';
import { readConfig } from '../../src/config/config.js';
import type { Submission } from '../../src/contract/contract.js';
import type { Grant } from '../../src/contract/grant.js';
import { type Names, readWhose } from '../../src/contract/whose.js';
import { createDigestFeedback } from '../../src/keys/digest-id.js';
import { hashKey } from '../../src/keys/identify.js';
import { createKey } from '../../src/keys/manage.js';
import { createSessionTokens } from '../../src/keys/session-token.js';
import { createFindGrants } from '../../src/keys/stored-grants.js';
import { createLoadSums } from '../../src/limits/load-sums.js';
import { createMonthlyCalls } from '../../src/limits/monthly-calls.js';
import { createAdmitSession } from '../../src/limits/new-session-limit.js';
import { createWindowLimit } from '../../src/limits/window-limit.js';
import { createLog } from '../../src/observe/log.js';
import { operations } from '../../src/operations/index.js';
import type { Services } from '../../src/operations/operation.js';
import { createReadingWriter } from '../../src/readings/group.js';
import { createPrepareReading, type PrepareReading } from '../../src/readings/intake.js';
import { finishErasures } from '../../src/retention/erase.js';
import { purgeExpired } from '../../src/retention/purge.js';
import { createAccessTable } from '../../src/store/accesses.js';
import { claimDue, countDeliveries, findDueQueues } from '../../src/store/delivery-queue.js';
import { openDatabase } from '../../src/store/database.js';
import { createDigestId, createErasedIdTable } from '../../src/store/erased-ids.js';
import { findDueAccounts } from '../../src/store/due-accounts.js';
import { findNewestReadingTime, purgeReadings } from '../../src/store/expired-readings.js';
import { createKeyTable } from '../../src/store/keys.js';
import { createPersonLinkLookup, createPersonLinkTable } from '../../src/store/person-links.js';
import { isMigrated, migrate } from '../../src/store/migrate.js';
import { createPositionReader } from '../../src/store/readings-by-position.js';
import { toAccountKey } from '../../src/store/readings.js';
import { keepEvidence } from '../../src/store/row-codes.js';
import { createSqliteFiles } from '../../src/store/sqlite-files.js';
import { requireParts } from '../../src/store/missing-parts.js';
import { createTransact, type Store } from '../../src/store/store.js';
import { tryWrite } from '../../src/store/write-health.js';
import { findStreamHeads } from '../../src/store/stream-positions.js';
import { findSubjectSummary } from '../../src/store/subject-summary.js';
import { createUsageTable } from '../../src/store/usage.js';
import { beginExport, readExportPage } from '../../src/streaming/export-page.js';
import { readPage } from '../../src/streaming/stream-page.js';
import { createResolveName } from '../../src/webhooks/resolve-name.js';
import { createSecretBox } from '../../src/webhooks/secrets.js';
import { atEndOfFile } from '../../testkit/at-end-of-file.js';
import { makeAccount } from '../../testkit/calls.js';
import { createTestDatabase, databaseKind } from '../../testkit/databases.js';
import { grantOf } from '../../testkit/grants.js';
import { Clock, root } from '../../testkit/service.js';
import { fillAlerts, liveWithAlerts } from './alert-life.js';
import { fillWebhooks, liveWithWebhooks } from './webhook-life.js';

const turn = { user_message: 'My performance review is next week', ai_response: 'How do you feel about it?' };
const crowd = 4_000;
const expired = 300;
const accounts = 40;
const day = 24 * 60 * 60;
const hourMs = 3_600_000;

/** Statements that may scan, because they read any one row or all rows of a small table. */
const mayScan = [
  // Reads the people of an account from an index, in pages, after an erasure. With few accounts, the server sorts them.
  /^select distinct `subject_id` as `subjectId` from `alert_(people|firings)` where `account_id` = \?/,
  // The write check of the readiness deletes the only row of its own account, which every index finds.
  /^delete from `session_readings` where `account` = \? and `position` = \?$/,
  // Tombstones exist for a short time only.
  /^select .* from `erasures` limit \?$/,
  // An account has at most a hundred webhooks, and the statement reads all or most of them.
  /^select `webhook_id` as `webhookId`, [^*]* from `webhooks` where `account_id` = \?/,
  // Checks whether an account has any rule and any webhook. The first row is sufficient.
  /^select webhook_epoch, exists \(select 1 from alert_rules [^)]*\) as has_rules from accounts where account_id = \? and exists/,
  // Reads only the account, by its primary key.
  /^(select `account_id` from|select `webhook_epoch` from|update) `accounts`.* where `account_id` = \?(?: for update| limit \?)?$/,
  // Reads the account names of a page. With few accounts, the server reads all names from an index.
  /^select `account_id`, `name` from `accounts` where `account_id` in/,
  // Reads one index entry per account with events. With few events, the server reads all from the index.
  /^select [^*]* from `outbox` group by `account_id`$/,
  // Reads the oldest events of each account from the start of its part of an index.
  /^select \* from \(select `account_id` as `accountId`, `session_id` as `sessionId` from `outbox` where `account_id` = \?/,
  // Reads the newest audit entries, of all accounts or of one, from the end of an index.
  /^select [^*]* from `key_audit` (?:where `account_id` = \? )?order by `at_ms` desc, `entry_id` desc limit \?$/,
  // Reads the account's newest sessions from the end of an index.
  /^select [^*]* from `sessions` where `account_id` = \? and `body` is not null order by `started_at_ms` desc, `incarnation` desc limit \?$/,
  // The same for a step of a snapshot. Reads the newest reading of each session from an index.
  /^select `incarnation` as `incarnation`, `started_at_ms` as `startedAtMs`, \(select [^*]* limit 1\) as position from `sessions` as `s` where `s`\.`account_id` = \? order by `started_at_ms` desc, `incarnation` desc limit \?$/,
  // Reads one row per account, by its primary key.
  /^(select|update) .*`stream_positions` .*where `account_id`/,
  // Reads the account names of audit entries. With few accounts, the server reads all.
  /^select `account_id`, `name` from `accounts` where `account_id` in \([?, ]+\)$/,
  // An account has at most 1,000 idempotency keys. Keys with a secret of the last hour are found by age.
  /^(?:select|update|delete) .*`idempotency_keys` .*where `account_id` = \?/,
  /^delete from `idempotency_keys` where `account_id` = \?/,
  // Sorts the readings of a range of positions, about one page. The test of exports checks the index of the range.
  /^select s\.session_id, [^*]* where s\.account_id = \? and s\.subject_id = \?/,
  // Sorts the readings of a session of at most an hour.
  /^select r\.digest, [^*]* order by timestamp_ms desc, digest desc limit \d+$/,
  // Reads one reading per account, from an end of the account's readings.
  /^select [^*]* from stream_positions p/,
  /^select max\(newest\.timestampMs\) as timestampMs from/,
  // Sorts the failed deliveries of one session to one webhook.
  /^select \* from \(select [^*]* where `account_id` = \? and `status` = \? and `webhook_id` = \? and `session_id` = \?[^*]* order by `event_at_ms` desc/,
  // Names half of the people of this test, whose search would cost more. Of more people, it searches the primary key.
  /^update `subjects` set `alert_due_ms` = \? where `account_id` = \? and `subject_id` in \(\?(?:, \?){99,}\) and `body`/,
  // Of few hours, MariaDB reads those of the account. Of 200,000 hours, it searches each hour of each person.
  /^select \* from `subject_hours` where `account_id` = \? and `subject_id` in \([^)]*\) and `hour_ms` in \(/,
  // One row per rotation of the key.
  /^select .* from `receipt_keys` order by/,
  /^(?:select|update) .*receipt_keys`? .*where `?key_id`? = \?/,
  // Sorts or adds up the readings of one session or person in the time of one report.
  /^select (?:[^]* from \(select )?r\.timestamp_ms as atMs, /,
  // Reads the account's newest reports from the end of an index.
  /^select [^*]* from `feedback` where `account_id` = \? order by `timestamp_ms` desc, `feedback_id` desc limit \?$/,
  // A person has few source keys and links. With few of all people, the server reads those of the account.
  /^(delete|select \*) from `(?:source_keys|person_links)` where `account_id` = \? and `subject_id` = \?(?: for update)?$/,
  /^select [^*]* from `(?:source_keys|person_links)` left join `api_keys` [^*]* order by [^*]* limit \?$/,
  // An account has at most 50 rules, with 100 people each, and all of them are read.
  /^select [^*]* from `alert_people` where `account_id` = \? order by `alert_id` asc, `subject_id` asc$/,
  /^select \* from `alert_rules` where `account_id` = \?$/,
  // Reads all rules: few accounts have any.
  /^select distinct `account_id` from `alert_rules` order by `account_id` asc$/,
  /^select [^*]* from `alert_rules`$/,
  // The same, and from an index the first person of each account who is due.
  /^select account_id as accountId, due_ms as dueMs from \(/,
  // One row per migration.
  /^select \* from `schema_migrations`$/,
];

interface Statement {
  readonly sql: string;
  readonly bindings: readonly Knex.Value[];
}

/** A row of EXPLAIN: `detail` on SQLite, the other fields on MySQL. */
interface PlanRow {
  readonly detail?: string;
  readonly table?: string | null;
  readonly type?: string | null;
  readonly key?: string | null;
  readonly key_len?: string | null;
  readonly Extra?: string | null;
}

/** The core of the service, without HTTP, on a database whose statements are recorded. */
interface Heard {
  readonly knex: Knex;
  /** A connection for EXPLAIN: libsql leaves such a statement open, and then the connection cannot commit. */
  readonly plans: Knex;
  readonly store: Store;
  readonly services: Services;
  readonly prepareReading: PrepareReading;
  readonly clock: Clock;
  /** Runs the work. Returns every statement that it executed. */
  statementsOf(work: () => Promise<unknown>): Promise<Statement[]>;
}

interface Filled extends Heard {
  readonly accountId: string;
  readonly key: string;
}

let shared: Promise<Filled> | undefined;

/** Returns the database with the rows of `fill`. All tests share it, because the rows take seconds to store. */
function filled(): Promise<Filled> {
  shared ??= startHeard().then(async (heard) => ({ ...heard, ...(await fill(heard)) }));
  return shared;
}

async function startHeard(): Promise<Heard> {
  const database = await createTestDatabase();
  const open = () => openDatabase(readConfig({ DATABASE_URL: database.url }).database);
  const [knex, plans] = [open(), open()];
  atEndOfFile(async () => {
    for (const it of [knex, plans]) await it.destroy();
    await database.drop();
  });
  await migrate(knex);
  const [store, clock] = [storeOn(knex), new Clock()];
  startEvidence(store, ['k'], true, clock.now);
  const texts = createTexts(await readFile(new URL('packages/text/weights/text.bin', root)));
  const maxTimestampAgeMs = day * 1000;
  const prepareReading = createPrepareReading({
    texts,
    digestKeys: ['k'],
    now: clock.now,
    maxTimestampAgeMs,
    maxBackfillAgeMs: maxTimestampAgeMs,
  });
  const digestId = createDigestId(['k']);
  const window = createWindowLimit({ policy: 'new-sessions', quota: 1_000_000, windowSeconds: 60 });
  const admitSession = createAdmitSession(store, { perKey: window, perClient: window }, false);
  const groups = createReadingWriter({
    store,
    admitSession,
    now: clock.now,
    digestId,
    onEvents() {},
    onCommitted() {},
  });
  const services: Services = {
    store,
    commit: groups.commit,
    pause: async () => undefined,
    digestFeedback: createDigestFeedback(['k']),
    maxFeedbackAgeMs: day * 1000,
    countStored: async () => 1,
    absences: () => [],
    now: clock.now,
    log: createLog('silent', { write() {} }),
    sessionTokens: createSessionTokens(['k']),
    digestId,
    secretBox: createSecretBox(['k']),
    targetPolicy: { allowHttp: true, allowLoopback: true },
    resolveName: createResolveName(),
    wakeWorker() {},
  };
  const statementsOf = async (work: () => Promise<unknown>) => {
    const heard: Statement[] = [];
    const record = ({ sql, bindings }: Statement) => void heard.push({ sql, bindings: bindings ?? [] });
    knex.on('query', record);
    await work().finally(() => knex.removeListener('query', record));
    return heard;
  };
  return { knex, plans, store, services, prepareReading, clock, statementsOf };
}

/** Builds the store on the test's database in the same way as openStore. */
function storeOn(knex: Knex): Store {
  return {
    read: (accountId, pause = async () => undefined) => ({ knex, accountId, pause }),
    transact: createTransact(knex),
    run: (work) => work(knex),
    use: (table) => table(knex),
    readSnapshot: (work) => work(knex),
    keepEvidence: (evidence) => keepEvidence(knex, evidence),
    iterate: (pages) => pages(knex),
    isEmbedded: databaseKind === 'sqlite',
    administer: (work) => work(knex),
    findWriteFailure: async () => undefined,
    tryWrite: () => tryWrite(knex),
    sqliteFiles: createSqliteFiles(knex),
    migrate: async () => {
      await migrate(knex);
      return [];
    },
    requireParts: () => requireParts(knex),
    isReady: () => isMigrated(knex),
    isDurable: async () => true,
    readClock: async () => Date.now(),
    readHostClocks: async () => [],
    cacheLookups: () => ({ sessions: { hits: 0, misses: 0 }, subjects: { hits: 0, misses: 0 } }),
    close: () => knex.destroy(),
  };
}

/**
 * Stores thousands of rows of one account and a few rows of others. A search by account alone is therefore detected as
 * slow.
 */
async function fill(heard: Heard): Promise<{ accountId: string; key: string }> {
  const { knex, store, clock } = heard;
  for (let index = 0; index < accounts; index++)
    await createKey(store.use(createKeyTable), { account: `account-${index}`, tier: 'solo' }, clock.nowMs);
  const { key } = await makeAccount({ store, clock }, 'ours', 'solo');
  const accountId = (await store.use(createKeyTable).list('ours'))[0]?.accountId ?? '';
  const fillWith = async (name: string, count: number) => {
    const bodies = Array.from({ length: count }, (_, index) => ({
      session_id: `${name}-${index % (count / 2)}`,
      subject_id: `${name}-${index % (count / 2)}`,
      timestamp: clock.at((index - count) / 100),
      heart_rate: 70,
      ...turn,
    }));
    await Promise.all(bodies.map((body) => send(heard, accountId, body)));
  };
  await fillWith('expired', expired);
  clock.advance(day + 1);
  await fillWith('crowd', crowd);
  const erased = Array.from({ length: crowd }, (_, index) => String(index).padStart(32, '0'));
  // The purge of `live` must not delete these ids, because the plans are read after the purge.
  await store.transact((scopeOf) => createErasedIdTable(scopeOf(accountId)).add(erased, clock.nowMs + 3 * hourMs));
  await store.transact((scopeOf) => createErasedIdTable(scopeOf(accountId)).add(['f'.repeat(32)], 0));
  await fillWebhooks(store, accountId, clock.nowMs);
  await fillAlerts(knex, accountId, clock.nowMs);
  const late = Array.from({ length: crowd }, (_, index) => {
    const digest = String(index).padStart(12, '0');
    const incarnation = digest.slice(-2).padStart(12, '0');
    return { account: toAccountKey(accountId), position: -2 * index, incarnation, digest, timestamp_ms: clock.nowMs };
  });
  await knex.batchInsert('late_readings', late, 500);
  const states = { calm_ms: 1, relaxed_ms: 0, focused_ms: 0, stressed_ms: 0, acute_stress_ms: 0 };
  const hours = Array.from({ length: crowd }, (_, index) => ({
    ...{ account_id: accountId, subject_id: `crowd-${index % 100}`, hour_ms: clock.nowMs - index, ...states },
    ...{ readings: 0, heart_rates: 0, topics: '' },
  }));
  await knex.batchInsert('subject_hours', hours, 500);
  const reports = Array.from({ length: crowd }, (_, index) => ({
    ...{
      account_id: accountId,
      feedback_id: `fb_${String(index).padStart(20, '0')}`,
      subject_id: `crowd-${index % 100}`,
    },
    ...{ session_id: `crowd-${index % 100}`, incarnation: String(index % 100).padStart(12, '0'), stress: 5 },
    ...{ timestamp_ms: clock.nowMs - index, recorded_at_ms: clock.nowMs },
  }));
  await knex.batchInsert('feedback', reports, 500);
  const accesses = Array.from({ length: crowd }, (_, index) => ({
    ...{ chain_id: 'crowd', seq: index + 1, at_ms: clock.nowMs - index, account_id: accountId, key_id: 'k' },
    ...{ credential: 'key', action: 'read', operation: 'getState', subject: `crowd-${index % 100}`, mac: '' },
  }));
  await knex.batchInsert('access_entries', accesses, 500);
  const links = Array.from({ length: crowd }, (_, index) => ({
    ...{ account_id: accountId, pseudonym: String(index).padStart(32, '0'), subject_id: `crowd-${index}` },
    ...{ code: 'c'.repeat(32), used_at_ms: clock.nowMs },
  }));
  await knex.batchInsert('access_subjects', links, 500);
  const filled =
    'sessions, session_readings, late_readings, subject_hours, feedback, access_entries, access_subjects, subjects, triggers, api_keys, accounts, webhooks, outbox, deliveries, erased_ids, alert_rules, alert_people, alert_firings';
  if (databaseKind === 'mysql') await knex.raw(`analyze table ${filled}`);
  // The service never runs ANALYZE on SQLite. Neither does the test, so its query plans match those of a deployment.
  return { accountId, key };
}

const withToken = (accountId: string) => grantOf(accountId, { kind: 'session', sessionId: 's1', issuedAtMs: 1 });

const send = (
  { services, prepareReading }: Heard,
  accountId: string,
  submission: Submission,
  caller = grantOf(accountId),
) => {
  const input = { ...ask(undefined), body: prepareReading(caller, submission) };
  return operations.ingest.handle(services, input, caller);
};

const ask = <Query>(query: Query) => ({
  ...{ query, params: undefined, body: undefined },
  whose: readWhose({ ...(query as Names) }),
});

/** Runs each operation that uses the database once. */
async function live(heard: Heard, accountId: string, key: string): Promise<void> {
  const { store, services, clock } = heard;
  const ours = grantOf(accountId);
  const reading = (session: number, seconds: number) => ({
    session_id: `ours-${session}`,
    subject_id: `us-${session % 3}`,
    timestamp: clock.at(seconds),
    heart_rate: 90,
    ...turn,
  });
  const find = createFindGrants({ store, findErased: async () => 0, toNamespace: () => '~', now: clock.now });
  await find([`key ${hashKey(key)}`, `signer ${accountId} key_1`, 'account none', 'link none', 'source none']);
  await store.use(createPersonLinkLookup).open('none', 'other', clock.nowMs, 0);
  await createPersonLinkTable(store.read(accountId)).list('us-0', clock.nowMs);
  await store.use(createKeyTable).auditEntries(10);
  await store.use(createKeyTable).auditEntries(10, accountId);
  await store.isReady();
  await store.tryWrite();
  for (const seconds of [0, 10, 5, 5, 10])
    await Promise.all(Array.from({ length: 6 }, (_, session) => send(heard, accountId, reading(session, seconds))));
  await send(heard, accountId, { ...reading(9, 0), subject_id: 'us-1' });
  await send(heard, accountId, { ...reading(9, 20), subject_id: 'unknown-to-us' }).catch(() => undefined);
  await send(heard, accountId, reading(8, 20), withToken(accountId)).catch(() => undefined);
  await operations.getState.handle(services, ask({ session_id: 'ours-0' }), ours);
  await operations.getHistory.handle(services, ask({ session_id: 'ours-0', until: clock.at(5) }), ours);
  await operations.getState.handle(services, ask({ subject_id: 'us-0' }), ours);
  await operations.getHistory.handle(services, ask({ subject_id: 'us-0', until: clock.at(5) }), ours);
  await operations.getTriggers.handle(services, ask({ subject_id: 'us-0' }), ours);
  await operations.getSubject.handle(services, { ...ask(undefined), params: { subject_id: 'us-0' } }, ours);
  for (const subject_id of ['us-0', 'expired-0'])
    await operations.getSubjectSummary.handle(services, { ...ask({}), params: { subject_id } }, ours);
  await liveWithFeedback(heard, ours);
  await listAllSessions(services, ours);
  await streamAll(store, accountId);
  await exportAll(store, accountId);
  await liveWithWebhooks(services, clock, ours);
  await liveWithAlerts(services, clock, ours);
  await operations.deleteSubject.handle(services, { ...ask(undefined), params: { subject_id: 'us-0' } }, ours);
  await callOnce(heard, ours);
  await accessOnce(heard, ours);
  await store.run((knex) => findNewestReadingTime(knex));
  await purgeExpired(store, clock.nowMs + 2 * hourMs);
  await finishErasures(store);
}

/** Stores reports about a moment and an interval, of a session that is bound later too, and reads them. */
async function liveWithFeedback(heard: Heard, ours: Grant): Promise<void> {
  const { services, clock } = heard;
  const nobody = { session_id: 'ours-nobody', timestamp: clock.at(), heart_rate: 80 };
  await send(heard, ours.accountId, nobody);
  const rest = { timestamp: clock.at(10), stress: 6 };
  for (const named of [{ session_id: 'ours-0' }, { subject_id: 'us-0' }, { session_id: 'ours-nobody' }])
    for (const duration of [{}, { duration_seconds: 600 }])
      for (const caller of [ours, withToken(ours.accountId)]) {
        const input = { ...ask({}), body: { ...rest, ...named, ...duration }, whose: readWhose({ ...named }) };
        await operations.submitFeedback.handle(services, input, caller).catch(() => undefined);
      }
  await send(heard, ours.accountId, { ...nobody, timestamp: clock.at(1), subject_id: 'us-1' });
  for (const subject of [{}, { subject_id: 'crowd-1' }]) {
    const { body } = await operations.listFeedback.handle(services, ask(subject), ours);
    if (body.next_cursor !== null)
      await operations.listFeedback.handle(services, ask({ ...subject, cursor: body.next_cursor }), ours);
  }
  await operations.getAgreement.handle(services, ask({}), ours);
  await operations.getSubjectAgreement.handle(services, { ...ask({}), params: { subject_id: 'us-1' } }, ours);
}

/** Reads pages of events of the account and of a session, near the start and near the end. */
async function streamAll(store: Store, accountId: string): Promise<void> {
  const [head] = await store.run((knex) => findStreamHeads(knex, [accountId]));
  for (const after of [0, (head?.position ?? 0) - 20]) {
    for (const named of [{}, { session_id: 'ours-0' }, { subject_id: 'us-0' }])
      await readPage(
        store.read(accountId),
        { caller: grantOf(accountId), whose: readWhose({ ...named }), after },
        async () => 0,
      );
    await createPositionReader(store.read(accountId)).changedAfter(after);
  }
}

/** Reads the first page of an export of the account, of a session and of a subject. */
async function exportAll(store: Store, accountId: string): Promise<void> {
  for (const named of [{}, { session_id: 'ours-0' }, { subject_id: 'us-0' }]) {
    const scope = { caller: grantOf(accountId), format: 'ndjson', whose: readWhose({ ...named }) } as const;
    await readExportPage(store.read(accountId), scope, await beginExport(store.read(accountId), scope, undefined));
  }
}

/** Reads the first two pages of all sessions and of the sessions of one subject, and two snapshots. */
async function listAllSessions(services: Services, ours: Grant): Promise<void> {
  const { body } = await operations.listSessions.handle(services, ask({}), ours);
  await operations.listSessions.handle(
    services,
    ask({ ...(body.next_cursor !== null && { cursor: body.next_cursor }) }),
    ours,
  );
  await operations.listSessions.handle(services, ask({ subject_id: 'us-0' }), ours);
  const sorted = { sort: 'score', points: 20 } as const;
  await operations.listSessions.handle(services, ask(sorted), ours);
  await operations.listSessions.handle(services, ask({ ...sorted, subject_id: 'us-0' }), ours);
}

/** Counts a call against the monthly quota and writes the count. */
async function callOnce({ store, clock }: Heard, caller: Grant): Promise<void> {
  const log = createLog('silent', { write: () => undefined });
  const calls = createMonthlyCalls({
    ...{ usage: store.use(createUsageTable), quotaOf: () => 1_000, now: clock.now, log, load: createLoadSums() },
    writeLoad: async () => undefined,
  });
  const call = calls.begin(caller);
  await call.admit();
  call.end(false);
  await calls.close();
}

/** Records accesses and reads them. */
async function accessOnce({ store, services, clock }: Heard, { accountId, keyId }: Grant): Promise<void> {
  // The first chain is expired for the purge.
  let nowMs = clock.nowMs - 366 * day * 1000;
  const now = () => nowMs;
  const record = () =>
    startAccessRecord({ ...services, accesses: store.use(createAccessTable), chain: createChain('k', now), now });
  const access = { accountId, keyId, credential: 'key', action: 'read', operation: 'getState' } as const;
  for (const subjectId of ['us-1', 'us-1', 'us-2']) {
    const accesses = record();
    accesses.add({ ...access, whose: { kind: 'person', subjectId } });
    accesses.add({ ...access, whose: { kind: 'session', sessionId: 'ours-1' } });
    accesses.add({ ...access, whose: { kind: 'account' } });
    await accesses.close();
    nowMs += 2 * day * 1000;
  }
  const params = { subject_id: 'us-1' };
  const caller = grantOf(accountId);
  const after = Buffer.from(`${clock.nowMs}.${'f'.repeat(16)}.9`).toString('base64url');
  for (const query of [{}, { cursor: after }])
    await operations.listAccesses.handle(services, { ...ask(query), params }, caller);
}

/** Selects the table format, because MySQL 9 prints a tree by default and MariaDB supports only the table. */
const explainFormat = 'format=traditional ';

/** Returns the rows of EXPLAIN on either database. */
async function planOf({ plans }: Heard, { sql, bindings }: Statement): Promise<PlanRow[]> {
  if (databaseKind === 'sqlite') return plans.raw(`explain query plan ${sql}`, bindings);
  return (await plans.raw(`explain ${explainFormat}${sql}`, bindings))[0];
}

/**
 * Returns the slow steps of a statement's plan. The list is empty if every search uses more index columns than the
 * account.
 */
async function faultsOf(heard: Heard, statement: Statement): Promise<PlanRow[]> {
  const isSlow = databaseKind === 'sqlite' ? isSlowStep : isSlowRow;
  return (await planOf(heard, statement)).filter((row) => isSlow(row) && !isOneAccount(row) && !isSubselect(row));
}

/**
 * Returns true if the step reads the result of a subselect, such as the first row of a queue or a bounded count. The
 * subselect has its own steps.
 */
function isSubselect({ detail = '', table }: PlanRow): boolean {
  return /^SCAN (next|pending|queues|owners|counted|recent)$/.test(detail) || /^<(derived|union)/.test(table ?? '');
}

/** Returns true if the step finds the row of an account by its id, which is the whole primary key. */
function isOneAccount({ detail = '', table, type }: PlanRow): boolean {
  const isById = /^SEARCH (accounts|alert_seeds|stream_positions) USING INDEX/.test(detail);
  return (
    isById ||
    (['accounts', 'alert_seeds', 'stream_positions'].includes(table ?? '') && ['const', 'range'].includes(type ?? ''))
  );
}

/**
 * Returns true for an index search by account alone, because it reads too many rows. A list of constants is not a
 * table.
 */
function isSlowStep({ detail = '' }: PlanRow): boolean {
  const isScan = detail.startsWith('SCAN') && !/CONSTANT ROW/.test(detail);
  return isScan || /\(account(_id)?=\?\)/.test(detail) || detail.includes('TEMP B-TREE');
}

/** Key lengths of the account alone: varchar(32) and char(12) in ASCII. */
const accountKeyLengths = ['34', '12'];

function isSlowRow({ type, key, key_len, Extra }: PlanRow): boolean {
  // The lookup by a whole key found no row, so the plan has no step, or a step without a key.
  if (type === 'const' || /noticed after reading const tables|no matching row in const table/.test(Extra ?? ''))
    return false;
  // The statement reads no table, or reads a maximum from the end of an index.
  if (/No tables used|Select tables optimized away|No matching min\/max row/.test(Extra ?? '')) return false;
  return (
    key === null ||
    type === 'ALL' ||
    type === 'index' ||
    accountKeyLengths.includes(key_len ?? '') ||
    /filesort/.test(Extra ?? '')
  );
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

test('the state of a person is read with two queries on primary keys', async () => {
  const heard = await filled();
  const { accountId } = heard;
  const read = () => operations.getState.handle(heard.services, ask({ subject_id: 'crowd-7' }), grantOf(accountId));
  const queries = await heard.statementsOf(read);
  expect(queries.map(({ sql }) => /from `(\w+)`/.exec(sql)?.[1])).toEqual(['subjects', 'sessions']);
  for (const query of queries) {
    const plan = JSON.stringify(await planOf(heard, query));
    expect(plan).toMatch(
      databaseKind === 'sqlite' ? /autoindex_\w+_1 \(account_id=\? AND \w+=\?\)/ : /"key":"PRIMARY"/,
    );
  }
});

test('the history of a person is three queries, which search the window of each session of the person', async () => {
  const heard = await filled();
  const { accountId } = heard;
  const read = () => operations.getHistory.handle(heard.services, ask({ subject_id: 'crowd-7' }), grantOf(accountId));
  const plans = await Promise.all((await heard.statementsOf(read)).map((query) => planOf(heard, query)));
  expect(plans).toHaveLength(3);
  const plan = plans.flat();
  if (databaseKind === 'sqlite') {
    const steps = plan.map(({ detail = '' }) => detail.replace(/ USING( COVERING)? (INDEX|PRIMARY KEY)/, ''));
    expect(steps.filter((it) => /SEARCH|TEMP/.test(it))).toEqual([
      'SEARCH sessions sessions_by_subject (account_id=? AND subject_id=?)',
      'SEARCH r session_readings_by_session (account=? AND incarnation=? AND position>? AND position<?)',
      'SEARCH l late_readings_by_digest (account=? AND incarnation=? AND timestamp_ms>? AND timestamp_ms<?)',
      'SEARCH r (account=? AND position=?)',
    ]);
    return;
  }
  const keys = plan.map(({ table, key }) => `${table} ${key}`);
  expect(keys).toEqual([
    ...['sessions sessions_by_subject', 'r session_readings_by_session'],
    ...['l late_readings_by_digest', 'r PRIMARY'],
  ]);
});

test('concurrent new sessions are looked up in batches', async () => {
  const heard = await filled();
  const begin = (index: number) =>
    send(heard, `account-${index % 2}`, {
      session_id: `new-${index}`,
      timestamp: heard.clock.at(),
      heart_rate: 70,
    });
  const statements = await heard.statementsOf(() => Promise.all(Array.from({ length: 1_000 }, (_, it) => begin(it))));
  const questions = statements.filter(({ sql }) => /^select .* from `sessions` .*`body` is not null/.test(sql));
  expect(questions.length).toBeGreaterThan(0);
  // Per account, one query for the first session and one query per 500 queued sessions.
  expect(questions.length).toBeLessThanOrEqual(2 * 4);
});

test('a profile is read with two queries, each on a primary key', async () => {
  const heard = await filled();
  const { accountId } = heard;
  const ours = grantOf(accountId);
  const read = () => operations.getTriggers.handle(heard.services, ask({ subject_id: 'crowd-7' }), ours);
  const queries = await heard.statementsOf(read);
  expect(queries).toHaveLength(2);
  for (const [index, query] of queries.entries()) {
    const by = ['triggers USING PRIMARY KEY', 'subjects USING INDEX sqlite_autoindex_subjects_1'][index];
    const detail = `SEARCH ${by} (account_id=? AND subject_id=?)`;
    const type = ['ref', 'const'][index];
    const expected = databaseKind === 'sqlite' ? [{ detail }] : [{ type, key: 'PRIMARY' }];
    expect(await planOf(heard, query)).toMatchObject(expected);
  }
});

test('a subject is read with one query, which reads its sessions from an index alone', async () => {
  const heard = await filled();
  const { accountId } = heard;
  const read = () => findSubjectSummary(heard.store.read(accountId), 'crowd-7');
  const [query, ...others] = await heard.statementsOf(read);
  expect(others).toEqual([]);
  const plan = await planOf(heard, query as Statement);
  if (databaseKind === 'mysql') {
    const reads = plan.filter(({ table }) => table === 'sessions');
    expect(reads).not.toEqual([]);
    for (const { key, Extra } of reads) expect(`${key}: ${Extra}`).toMatch(/^sessions_by_subject: .*Using index/);
    return;
  }
  const reads = plan.map(({ detail = '' }) => detail).filter((detail) => detail.includes(' sessions '));
  const search = 'SEARCH sessions USING COVERING INDEX sessions_by_subject (account_id=? AND subject_id=?)';
  expect(reads).toEqual([search, search, search]);
});

test('a resend is looked up among the readings of two minutes, not among all readings of its session', async () => {
  const heard = await filled();
  const { accountId } = heard;
  const resent = { session_id: 'ours', timestamp: heard.clock.at(), heart_rate: 90 };
  const resend = () => Promise.all([resent, { ...resent, heart_rate: 91 }].map((it) => send(heard, accountId, it)));
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
  const beforeMs = heard.clock.nowMs - day * 1_000;
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

test('deliveries are counted from an index alone', async () => {
  const heard = await filled();
  const [query, ...others] = await heard.statementsOf(() => heard.store.run((knex) => countDeliveries(knex)));
  expect(others).toEqual([]);
  const plan = await planOf(heard, query as Statement);
  if (databaseKind === 'mysql') {
    const reads = plan.filter(({ table }) => table === 'deliveries');
    expect(reads).toHaveLength(2);
    for (const { key, Extra } of reads) expect(`${key}: ${Extra}`).toMatch(/^deliveries_by_receiver: .*Using index/);
    return;
  }
  const reads = plan.map(({ detail = '' }) => detail).filter((detail) => detail.includes(' deliveries '));
  const search = 'SEARCH deliveries USING COVERING INDEX deliveries_by_receiver (status=?)';
  expect(reads).toEqual([search, search]);
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

// The last test, because the purge and the erasures delete rows. Explains some hundred statements, which takes minutes
// while other tests run.
test('every query of the service searches an index', { timeout: 240_000 }, async () => {
  const heard = await filled();
  const { accountId, key } = heard;
  const all = await heard.statementsOf(() => live(heard, accountId, key));
  // TiDB refuses shared locks, and Vitess refused recursive queries for long.
  expect(all.filter(({ sql }) => /for share|lock in share mode|with recursive|skip locked/i.test(sql))).toEqual([]);
  // An insert of values searches no other rows. Statements of the readiness check have a false condition.
  const searches = [...new Map(all.map((it) => [it.sql, it])).values()].filter(
    ({ sql }) => /^(select|update|delete)/.test(sql) && !sql.includes(' where 1 = 0'),
  );
  const faults = await Promise.all(searches.map(async (it) => [it.sql, await faultsOf(heard, it)] as const));
  expect(faults.filter(([sql, found]) => found.length > 0 && !mayScan.some((it) => it.test(sql)))).toEqual([]);
  // Checks that the test covers every statement.
  const namesOf = ({ sql }: Statement) => sql.replace(/^(\w+)(?:[^]*? from)? `?(\w+)`?[^]*/, '$1 $2');
  expect([...new Set(searches.map(namesOf))].sort()).toEqual([
    'delete access_chains',
    'delete access_entries',
    ...['delete alert_firings', 'delete alert_people', 'delete alert_rules', 'delete alert_seeds'],
    'delete consents',
    'delete deliveries',
    'delete erased_ids',
    'delete erasures',
    'delete feedback',
    'delete idempotency_keys',
    'delete late_readings',
    'delete outbox',
    'delete person_links',
    'delete session_readings',
    'delete sessions',
    'delete source_keys',
    'delete subject_hours',
    'delete subjects',
    'delete triggers',
    'delete webhooks',
    'select access_chains',
    'select access_entries',
    'select access_subjects',
    'select accounts',
    ...[
      'select alert_firings',
      'select alert_lease',
      'select alert_people',
      'select alert_rules',
      'select alert_seeds',
    ],
    'select api_keys',
    'select consents',
    'select deliveries',
    'select erased_ids',
    'select erasures',
    'select feedback',
    'select idempotency_keys',
    'select key_audit',
    'select late_readings',
    'select outbox',
    'select person_links',
    'select receipt_keys',
    'select schema_migrations',
    'select session_readings',
    'select sessions',
    'select source_keys',
    'select stream_positions',
    'select subject_hours',
    'select subjects',
    'select triggers',
    'select usage_hours',
    'select usage_months',
    'select webhooks',
    'update access_subjects',
    'update accounts',
    'update alert_seeds',
    'update api_keys',
    'update deliveries',
    'update erased_ids',
    'update feedback',
    'update idempotency_keys',
    'update outbox',
    'update person_links',
    'update receipt_keys',
    'update sessions',
    'update stream_positions',
    'update subjects',
    'update webhooks',
  ]);
});
