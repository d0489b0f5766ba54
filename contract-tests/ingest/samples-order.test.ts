import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDigestId } from '../../src/store/erased-ids.js';
import { processGroup } from '../../src/readings/group.js';
import type { PreparedReading } from '../../src/readings/prepared-reading.js';
import { createTransact, type Store } from '../../src/store/store.js';
import { migratedDatabase, openKnex } from '../../testkit/temporary-database.js';

const nowMs = Date.UTC(2026, 0, 1);
const digestId = createDigestId(['k']);
/** Accounts of the sends and of their replay in the order of the first commits. */
const [sent, replayed] = ['acc_0123456789abcdef0123', 'acc_abcdef0123456789abcd'];

/** A body: its sample, revision and heart rate. Bodies of one sample have one timestamp. */
const someBody = fc.record({
  sample: fc.integer({ min: 0, max: 2 }),
  revision: fc.integer({ min: 0, max: 2 }),
  heartRate: fc.integer({ min: 50, max: 150 }),
  isBackfill: fc.boolean(),
});
type Body = typeof someBody extends fc.Arbitrary<infer Value> ? Value : never;

/** A request of a process: some bodies in one group. `isKilled`: its process dies before the client gets the response. */
const someRequest = fc.record({
  bodies: fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
  process: fc.integer({ min: 0, max: 1 }),
  isKilled: fc.boolean(),
});

function toReading(
  accountId: string,
  { sample, revision, heartRate, isBackfill }: Body,
  index: number,
): PreparedReading {
  return {
    accountId,
    ...{ sessionId: 's', subjectId: 'p', timestampMs: nowMs - 240_000 + 60_000 * sample },
    signals: { heart_rate: heartRate, sample_id: `m${sample}`, sample_revision: revision },
    sample: { key: `000000000000000${sample}`, revision },
    digest: String(index).padStart(12, '0'),
    ...(isBackfill && { isBackfill }),
  };
}

/** Returns the digest of the body that counts of each sample: the highest revision, of equal ones the last one in `order`. */
function listWinners(bodies: readonly Body[], order: readonly string[]): string[] {
  const winners = new Map<number, string>();
  for (const digest of order) {
    const { sample, revision } = bodies[Number(digest)] as Body;
    const before = bodies[Number(winners.get(sample) ?? digest)] as Body;
    if (revision >= before.revision) winners.set(sample, digest);
  }
  return [...winners].sort(([a], [b]) => a - b).map(([, digest]) => digest);
}

/** Opens a database with two processes. */
async function open() {
  const { url } = await migratedDatabase();
  const [first, second] = [openKnex(url), openKnex(url)];
  for (const account_id of [sent, replayed])
    await first('accounts').insert({ account_id, name: account_id, tier: 'solo', created_at_ms: 0, webhook_epoch: 0 });
  const processes = [first, second].map((knex) => ({ transact: createTransact(knex) }) as Store);
  /** Deletes the rows of both accounts. The caches of the processes notice it by the versions of the rows. */
  const clear = async () => {
    for (const table of ['sessions', 'subjects', 'session_readings', 'late_readings', 'stream_positions', 'outbox'])
      await first(table).delete();
  };
  const toKey = (accountId: string) => accountId.slice(4, 16);
  const columns = 'timestamp_ms digest stress_score confidence previous_score signals response state_change'.split(' ');
  /** The order of its fields and the spaces at its end depend on earlier writes. */
  const parse = <T extends { readonly body: string }>(row: T) => ({ ...row, body: JSON.parse(row.body) as unknown });
  /** Returns what is stored of an account, without what depends on the time of storage. */
  const readAll = async (accountId: string) => ({
    readings: await first('session_readings')
      .select(columns)
      .where({ account: toKey(accountId) })
      .orderBy('timestamp_ms'),
    sessions: (await first('sessions').select('subject_id', 'body').where({ account_id: accountId })).map(parse),
    subjects: (await first('subjects').select('body').where({ account_id: accountId })).map(parse),
  });
  /** Returns the digests of the bodies that were stored, in the order of their first commit. */
  const readOrder = (accountId: string): Promise<string[]> =>
    first('late_readings')
      .where({ account: toKey(accountId) })
      .whereNotNull('sample')
      .orderBy('position')
      .pluck('digest');
  return { processes: processes as [Store, Store], clear, readAll, readOrder };
}

/** Returns the processes with one that dies: it stores nothing, or the client does not learn that it has. */
function dying({ transact }: Store): Store {
  const kill: Store['transact'] = async (work) => {
    await transact(async (scopeOf) => {
      await work(scopeOf);
      throw new Error('killed');
    });
    throw new Error('unreachable');
  };
  return { transact: kill } as Store;
}

test('any sends, resends and kills of two processes end in the rows of the same sends in the order of their first commit', async () => {
  const { processes, clear, readAll, readOrder } = await open();
  const run = async (
    bodies: readonly Body[],
    requests: ReadonlyArray<{ bodies: number[]; process: number; isKilled: boolean }>,
  ) => {
    await clear();
    const readings = bodies.map((body, index) => toReading(sent, body, index));
    const send = async ({ bodies: chosen, process, isKilled }: (typeof requests)[number]) => {
      const group = chosen.map((index) => readings[index % readings.length] as PreparedReading);
      // Live readings of one request are scored in the order of their times, whatever its order is.
      group.sort((a, b) => a.timestampMs - b.timestampMs);
      const store = processes[process] as Store;
      await processGroup(isKilled ? dying(store) : store, group, nowMs, digestId).catch((error: unknown) => {
        if (!isKilled) throw error;
      });
      if (isKilled) await processGroup(processes[1 - process] as Store, group, nowMs, digestId);
    };
    // Neighbors run at the same time.
    for (let from = 0; from < requests.length; from += 3) await Promise.all(requests.slice(from, from + 3).map(send));
    const found = await readAll(sent);
    const order = await readOrder(sent);
    expect(order).toHaveLength(new Set(order).size);
    for (const digest of order) {
      const index = Number(digest);
      await processGroup(processes[0], [toReading(replayed, bodies[index] as Body, index)], nowMs, digestId);
    }
    expect(found).toEqual(await readAll(replayed));
    expect(found.readings.map(({ digest }) => digest)).toEqual(listWinners(bodies, order));
    const samples = requests.flatMap((it) => it.bodies.map((index) => bodies[index % bodies.length]?.sample));
    expect(found.readings).toHaveLength(new Set(samples).size);
  };
  await fc.assert(
    fc.asyncProperty(
      fc.array(someBody, { minLength: 2, maxLength: 6 }),
      fc.array(someRequest, { minLength: 1, maxLength: 9 }),
      run,
    ),
    { numRuns: 25, seed: Number(process.env['TEST_SEED'] ?? 1) },
  );
});
