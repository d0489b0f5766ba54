import type { Knex } from 'knex';
import { onTestFinished } from 'vitest';
import { createChain, startEvidence } from '../src/access-record/chain.js';
import { type Access, type AccessRecord, startAccessRecord } from '../src/access-record/record.js';
import { verifyRecord } from '../src/access-record/verify.js';
import { readConfig } from '../src/config/config.js';
import { createDigestId } from '../src/store/erased-ids.js';
import { createLog } from '../src/observe/log.js';
import { eraseSubject } from '../src/retention/erase.js';
import { createAccessTable, type AccessTable } from '../src/store/accesses.js';
import { openDatabase } from '../src/store/database.js';
import { openStore, type Store } from '../src/store/store.js';
import { createTestDatabase, type TestDatabase } from './databases.js';
import { Clock } from './service.js';

export const secretsKey = 'k'.repeat(32);
export const dayMs = 86_400_000;

export interface RecordDatabase {
  readonly store: Store;
  readonly knex: Knex;
  readonly clock: Clock;
  readonly database: TestDatabase;
}

/** Stores people without readings. */
export async function addPeople({ knex }: Pick<RecordDatabase, 'knex'>, ...ids: readonly string[]): Promise<void> {
  const rows = ids.map((subject_id) => ({ account_id: 'acc_1', subject_id, version: 'v', body: '{"v":1}' }));
  await knex.batchInsert('subjects', rows, 100);
}

/** Opens a migrated database with the people `person-0`, `person-1` and so on. It is dropped at the end of the test. */
export async function openRecord(people = 10): Promise<RecordDatabase> {
  const database = await createTestDatabase();
  onTestFinished(database.drop);
  const config = readConfig({ DATABASE_URL: database.url }).database;
  const [store, knex] = [openStore(config), openDatabase(config)];
  onTestFinished(store.close);
  onTestFinished(() => knex.destroy());
  await store.migrate();
  const clock = new Clock();
  startEvidence(store, [secretsKey], true, clock.now);
  await addPeople({ knex }, ...Array.from({ length: people }, (_, index) => `person-${index}`));
  return { store, knex, clock, database };
}

export const accessOf = (index: number): Access => ({
  ...{ accountId: 'acc_1', keyId: `key_${index % 2}`, credential: 'key', action: 'read', operation: 'getState' },
  whose: { kind: 'person', subjectId: `person-${index}` },
});

export interface RecordOptions {
  /** Keys of SECRETS_KEY, the newest first. */
  readonly keys?: readonly [string, ...string[]];
  /** Replaces the function that stores entries. */
  readonly append?: AccessTable['append'];
  readonly write?: (line: string) => void;
}

/** Starts the record of one process. */
export function startRecord({ store, clock }: Pick<RecordDatabase, 'store' | 'clock'>, options: RecordOptions = {}) {
  const { keys = [secretsKey], append = store.use(createAccessTable).append, write = () => undefined } = options;
  const digestId = createDigestId(keys);
  const accesses = { ...store.use(createAccessTable), append };
  const log = createLog('warn', { write });
  return startAccessRecord({ accesses, digestId, chain: createChain(keys[0], clock.now), now: clock.now, log });
}

/** Records accesses to persons 0 to `count` - 1 as one process does. */
export async function recordAs(opened: RecordDatabase, count: number, ...keys: string[]): Promise<void> {
  const record = startRecord(opened, keys.length > 0 ? { keys: keys as [string, ...string[]] } : {});
  addAll(record, count);
  await record.close();
}

export function addAll(record: AccessRecord, count: number): void {
  for (let index = 0; index < count; index += 1) record.add(accessOf(index));
}

export const verify = (
  { store, clock }: Pick<RecordDatabase, 'store' | 'clock'>,
  keys = [secretsKey],
  expiredBeforeMs = 0,
) => {
  const options = { secretsKeys: keys, digestId: createDigestId(keys), expiredBeforeMs, nowMs: clock.nowMs };
  return store.readSnapshot((knex) => verifyRecord(knex, options));
};

export const erase = ({ store, clock }: Pick<RecordDatabase, 'store' | 'clock'>, subjectId: string) =>
  eraseSubject({ store, digestId: createDigestId([secretsKey]), now: clock.now }, 'acc_1', subjectId);
