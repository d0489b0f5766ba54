import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.js';
import { openDatabase } from '../../src/store/database.js';
import { runHere } from '../../testkit/command-line.js';
import { runMain, startMain } from '../../testkit/process.js';
import { openKnex, temporaryDatabase } from '../../testkit/temporary-database.js';

/**
 * Duration of the lock, ms. Longer than the lock wait of a serving process, and shorter than that of a starting
 * process.
 */
const lockedMs = 2_500;
const limitMs = 300_000;

/** Creates a SQLite file whose write lock this process holds. */
async function lockedDatabase(): Promise<{ env: Record<string, string>; locker: Knex.Transaction }> {
  const database = await temporaryDatabase('sqlite');
  const env = { DATABASE_URL: database.url };
  const knex = openKnex(env.DATABASE_URL);
  return { env, locker: await knex.transaction() };
}

test('the service waits for the write lock of another process', { timeout: limitMs }, async () => {
  const { env, locker } = await lockedDatabase();
  const started = startMain(env);
  await sleep(lockedMs);
  await locker.rollback();
  const service = await started;
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  await service.stop('SIGTERM');
});

test(
  'a lock that outlasts the timeout ends a command with one line that names the remedy',
  { timeout: limitMs },
  async () => {
    const { env, locker } = await lockedDatabase();
    const ended = await runMain(['migrate'], env);
    await locker.rollback();
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(
      /^error: DATABASE_URL: another process has locked the database: stop that process, or wait until its transaction ends \(.*database is locked\)\n$/,
    );
  },
);

test(
  'on a migrated database, a command that writes waits for the lock, and a command that reads does not',
  { timeout: limitMs },
  async () => {
    const { env, locker } = await lockedDatabase();
    await locker.rollback();
    expect((await runHere(['migrate'], env)).code).toBe(0);
    const knex = openDatabase(readConfig(env).database);
    const held = await knex.transaction();
    expect((await runHere(['keys', 'list'], env)).code).toBe(0);
    const created = runMain(['keys', 'create', '--account', 'acme', '--tier', 'solo'], env);
    await sleep(lockedMs);
    await held.rollback();
    await knex.destroy();
    expect(await created).toMatchObject({ code: 0, stdout: expect.stringMatching(/^sk_/) });
  },
);
