import type { Knex } from 'knex';
import { expect, test } from 'vitest';
import { insertRows } from '../../src/store/rows.js';
import { type SessionFilter, listSessions } from '../../src/store/session-list.js';
import { createSnapshotReader } from '../../src/store/session-snapshot.js';
import { databaseKind } from '../../testkit/databases.js';
import { openMigrated } from '../../testkit/temporary-database.js';

const sessions = 100_000;
const rowsAtOnce = 500;
const startMs = Date.UTC(2026, 10, 21);
const accountId = 'acc_1';

/** Stores sessions of one account in a random order of ids. Every subject has four sessions. */
async function fill(knex: Knex): Promise<void> {
  const row = (index: number) => ({
    account_id: accountId,
    session_id: `s-${(index * 7919) % sessions}`,
    incarnation: index.toString(16).padStart(12, '0'),
    version: 'v',
    subject_id: `p-${index % (sessions / 4)}`,
    touched_at_ms: startMs + index,
    started_at_ms: startMs + Math.floor(index / 3),
    body: '{}',
  });
  for (let from = 0; from < sessions; from += rowsAtOnce)
    await insertRows(
      knex,
      'sessions',
      Array.from({ length: rowsAtOnce }, (_, index) => row(from + index)),
    );
  if (databaseKind === 'mysql') await knex.raw('analyze table sessions');
}

test('with 100,000 sessions, every page and every step of a snapshot is read from the end of an index without sorting', async () => {
  const { knex } = await openMigrated();
  await fill(knex);
  const after = { startedAtMs: startMs + sessions / 6, incarnation: '00000000c350' };
  for (const [filter, index] of [
    [{ names: {} }, 'sessions_by_start'],
    [{ names: {}, after }, 'sessions_by_start'],
    [{ names: { subject_id: 'p-7' } }, 'sessions_by_subject'],
    [{ names: { subject_id: 'p-7' }, after }, 'sessions_by_subject'],
  ] satisfies Array<[SessionFilter, string]>) {
    const { sessionsAt } = createSnapshotReader({ knex, accountId, pause: async () => undefined });
    const works = {
      page: () => listSessions({ knex, accountId }, filter, 51),
      ...(!filter.after && { snapshot: () => sessionsAt(1, filter.names, 1) }),
    };
    for (const [name, work] of Object.entries(works)) {
      const plan = await planOf(knex, work);
      expect([name, filter, plan]).toEqual([name, filter, expect.stringContaining(index)]);
      expect([name, filter, plan]).toEqual([name, filter, expect.not.stringMatching(/filesort|TEMP B-TREE|SCAN/)]);
    }
  }
});

/** Returns the plan of the first statement of the work. */
async function planOf(knex: Knex, work: () => Promise<unknown>): Promise<string> {
  const sent: Array<{ sql: string; bindings: readonly Knex.Value[] }> = [];
  const record = (statement: (typeof sent)[number]) => void sent.push(statement);
  knex.on('query', record);
  await work().catch(() => undefined);
  knex.removeListener('query', record);
  const [{ sql, bindings }] = sent as [(typeof sent)[number]];
  const explain = databaseKind === 'sqlite' ? 'explain query plan' : 'explain format=traditional';
  return JSON.stringify(await knex.raw(`${explain} ${sql}`, bindings as Knex.Value[]));
}
