import mysql from 'mysql2';
import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createDigestId, createErasedIdTable } from '../../src/store/erased-ids.js';
import { processGroup } from '../../src/readings/group.js';
import { createPositionTable } from '../../src/store/stream-positions.js';
import { buildInsert, runAll, runStatements } from '../../src/store/rows.js';
import { createTransact, type Store } from '../../src/store/store.js';
import { watchLocks } from '../../testkit/blocked.js';
import { interruptBefore } from '../../testkit/interrupt.js';
import type { TestDatabase } from '../../testkit/databases.js';
import { migratedDatabase, openKnex } from '../../testkit/temporary-database.js';

/** Opens a database. `packetsOf` returns the packets that the driver sends, with the verb and the table of each statement. */
async function open() {
  const { url } = await migratedDatabase();
  const knex = openKnex(url);
  // A new connection first sends its settings.
  await knex.raw('select 1');
  const query = vi.spyOn(
    (mysql as unknown as { Connection: { prototype: mysql.Connection } }).Connection.prototype,
    'query',
  );
  onTestFinished(() => query.mockRestore());
  const calls = () => query.mock.calls as unknown as Array<[{ readonly sql: string }]>;
  return {
    knex,
    url,
    transact: createTransact(knex),
    packetsOf: async (work: () => Promise<unknown>) => {
      query.mockClear();
      await work();
      return calls().map(([{ sql }]) => sql.split('; ').map(describe));
    },
    stored: () => knex('schema_migrations').where({ completed_at_ms: 0 }).orderBy('name').pluck('name'),
  };
}

const describe = (sql: string) => sql.replace(/^(\w+)(?:.*? (?:from|into) `?(\w+))?.*$/s, '$1 $2').trim();

const rowsOf = (knex: Knex, ...names: readonly string[]) =>
  names.flatMap((name) => buildInsert(knex, 'schema_migrations', [{ name, completed_at_ms: 0, breaks_earlier: 0 }]));
const fail = { sql: 'select (select 1 union select 2)', bindings: [] };

const accountId = 'acc_0123456789abcdef0123';
const startMs = 1_000_000_000_000;
const digestId = createDigestId(['k']);
const toReading = (index: number, timestampMs: number) => ({
  ...{ accountId, sessionId: `s${index}`, subjectId: `p${index}`, timestampMs },
  ...{ digest: randomBytes(6).toString('hex'), signals: { heart_rate: 70 } },
});

/** Stores a group of three readings in a transaction, which are `ageMs` old. */
async function storeGroup(transact: Store['transact'], nowMs: number, ageMs = 0) {
  const group = [1, 2, 3].map((index) => toReading(index, nowMs - ageMs + index));
  await processGroup({ transact } as Store, group, nowMs, digestId);
}

test('a group of readings takes two round trips, with its begin and its commit', async () => {
  const { knex, transact, packetsOf } = await open();
  await storeGroup(transact, startMs);
  expect(await packetsOf(() => storeGroup(transact, startMs + 1_000))).toEqual([
    // One statement reads whether the account has webhooks and alert rules.
    ['begin', 'select sessions', 'select alert_rules', 'select subjects'],
    [
      ...['insert sessions', 'insert subjects', 'select stream_positions'],
      ...['insert session_readings', 'insert stream_positions', 'commit'],
    ],
  ]);
  expect(await knex('session_readings')).toHaveLength(6);
});

test('readings whose position is not as expected are stored at it, once and late, after a lock of the positions', async () => {
  const { knex, transact, packetsOf } = await open();
  const head = (startMs + 3_600_000) * 1_000;
  await knex('stream_positions').insert({ account_id: accountId, position: head, erasures: 7 });
  expect((await packetsOf(() => storeGroup(transact, startMs))).slice(-2)).toEqual([
    ['select stream_positions'],
    ['insert session_readings', 'insert late_readings', 'insert stream_positions', 'commit'],
  ]);
  // Late for any position, so that the packet holds.
  expect((await packetsOf(() => storeGroup(transact, startMs + 90_000, 80_000))).at(-1)).toContain(
    'insert late_readings',
  );
  const positions = [2, 4, 6, 8, 10, 12].map((it) => head + it);
  expect(await knex('session_readings').orderBy('position').pluck('position')).toEqual(positions);
  expect(await knex('late_readings').orderBy('position').pluck('position')).toEqual(positions);
  expect(await knex('stream_positions').first('position', 'erasures')).toEqual({ position: positions[5], erasures: 7 });
});

test('a null in a statement before the positions rolls back the transaction, which does not go on without it', async () => {
  const { knex, transact, stored } = await open();
  await storeGroup(transact, startMs);
  const withoutName = buildInsert(knex, 'schema_migrations', [{ name: null, completed_at_ms: 0, breaks_earlier: 0 }]);
  const storing = transact((scopeOf) => {
    const range = { min: startMs * 1_000, max: Number.MAX_SAFE_INTEGER };
    const before = [...rowsOf(knex, 'a'), ...withoutName];
    return createPositionTable(scopeOf(accountId)).takeInPacket(1, range, before, rowsOf(knex, 'b'), true);
  });
  await expect(storing).rejects.toThrow("Column 'name' cannot be null");
  expect(await stored()).toEqual([]);
});

test('an erasure of a new person between the first packet of a turn and the lock of the person is found', async () => {
  const { transact } = await open();
  const erased = digestId(accountId, { kind: 'subject', id: 'p1' });
  let queries = 0;
  const store = interruptBefore({ transact } as Store, 'sessions', async () => {
    queries += 1;
    if (queries === 2) await transact((scopeOf) => createErasedIdTable(scopeOf(accountId)).add(erased, startMs));
  });
  const turn = { ...toReading(1, startMs), isLiveTurn: true as const };
  expect((await processGroup(store, [turn], startMs, digestId)).outcomes).toMatchObject([{ code: 'subject_erased' }]);
});

test('a group in one packet waits for the positions of another transaction, and follows them', async () => {
  const { knex, url, transact } = await open();
  await storeGroup(transact, startMs);
  const isBlocked = watchLocks({ url } as TestDatabase);
  let other = Promise.resolve();
  const taken = await transact(async (scopeOf) => {
    const { first, toSave } = await createPositionTable(scopeOf(accountId)).take(1, startMs + 50, []);
    other = storeGroup(transact, startMs + 1);
    await isBlocked(other);
    await runStatements(scopeOf(accountId), toSave);
    return first;
  });
  await other;
  const stored = await knex('session_readings').where('position', '>', taken).orderBy('position').pluck('position');
  expect(stored).toEqual([taken + 2, taken + 4, taken + 6]);
});

test.each([
  ['first', [0]],
  ['middle', [2]],
  ['last', [4]],
])('an error in the %s statement of a packet rolls back all of it and what precedes it', async (_, [at = 0]) => {
  const { knex, transact, stored, packetsOf } = await open();
  const all = rowsOf(knex, 'b', 'c', 'd', 'e');
  all.splice(at, 0, fail);
  const failing = () =>
    transact(async (scopeOf) => {
      await runStatements(scopeOf('acc_1'), rowsOf(knex, 'a'));
      await runStatements(scopeOf('acc_1'), all, true);
    });
  const packets = await packetsOf(() => expect(failing()).rejects.toThrow('more than 1 row'));
  expect(packets.map(([first, ...others]) => [first, others.at(-1)])).toEqual([
    ['begin', 'insert schema_migrations'],
    [all[0] === fail ? 'select' : 'insert schema_migrations', 'commit'],
    ['ROLLBACK', undefined],
  ]);
  expect(await stored()).toEqual([]);
  // The connection is free, and the failed transaction holds no lock.
  await transact((scopeOf) => runStatements(scopeOf('acc_1'), rowsOf(knex, 'a', 'e'), true));
  expect(await stored()).toEqual(['a', 'e']);
});

test('statements that exceed the limit of the server together go in several packets', async () => {
  const { transact } = await open();
  const long = 'x'.repeat(9_000_000);
  const statements = [1, 2].map(() => ({ sql: 'select length(?) as n', bindings: [long] }));
  const rows = await transact((scopeOf) => runAll(scopeOf('acc_1'), statements, true));
  expect(rows).toMatchObject([[{ n: long.length }], [{ n: long.length }]]);
});

test('a connection that is killed in the middle of the last packet stores nothing, and the retry stores everything', async () => {
  const { knex, transact, stored } = await open();
  let kills = 1;
  await transact(async (scopeOf) => {
    const scope = scopeOf('acc_1');
    const ids = await runStatements(scope, [{ sql: 'select connection_id() as id', bindings: [] }]);
    const kill = { sql: 'kill ?', bindings: [(ids[0] as { id: number }).id] };
    expect(await stored()).toEqual([]);
    await runStatements(scope, [...rowsOf(knex, 'a'), ...(kills-- > 0 ? [kill] : []), ...rowsOf(knex, 'b')], true);
  });
  expect([await stored(), kills]).toEqual([['a', 'b'], -1]);
});

test('a transaction without a statement sends nothing, and one that rejects before its first sends nothing', async () => {
  const { transact, packetsOf } = await open();
  expect(await packetsOf(() => transact(async () => undefined))).toEqual([]);
  const rejected = () => expect(transact(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  expect(await packetsOf(rejected)).toEqual([]);
});

test('a statement after the last ones is refused, and each statement of a packet gets its own rows', async () => {
  const { knex, transact, stored } = await open();
  const late = transact(async (scopeOf) => {
    const scope = scopeOf('acc_1');
    const one = { sql: 'select ? as value', bindings: ['1'] };
    expect(await runAll(scope, [one])).toMatchObject([[{ value: '1' }]]);
    expect(await runAll(scope, [one, ...rowsOf(knex, 'a'), one], true)).toMatchObject([[{ value: '1' }], {}, [{}]]);
    await runStatements(scope, rowsOf(knex, 'b'));
  });
  await expect(late).rejects.toThrow('a statement follows the last statements');
  expect(await stored()).toEqual(['a']);
});
