import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { recordBackup } from '../../src/observe/probes.js';
import { runHere } from '../../testkit/command-line.js';
import { databaseKind } from '../../testkit/databases.js';
import { setUp } from '../../testkit/consents.js';
import { connectPhone, metric } from '../../testkit/phone.js';
import { startMain } from '../../testkit/process.js';
import { startTestService } from '../../testkit/service.js';
import { storyEnv } from '../../testkit/story.js';
import { openKnex, temporaryDatabase } from '../../testkit/temporary-database.js';
import { temporaryFolder } from '../../testkit/temporary-folder.js';
import { expect, test } from '../../testkit/test.js';
import { startStory, storeDue } from '../../testkit/webhooks.js';

test('doctor finds nothing to do for a running service, and names the remedy once it is stopped', async () => {
  const database = await temporaryDatabase();
  const service = await startMain({ DATABASE_URL: database.url });
  const env = { DATABASE_URL: database.url, PORT: new URL(service.url).port };
  const healthy = await runHere(['doctor'], env);
  expect(healthy.stdout).toContain('responds and accepts writes, schema is current');
  expect(healthy.stdout).toContain(`${service.url}/readyz responds with 200`);
  expect(healthy.stdout).not.toContain('remedy: start');
  expect(healthy.stdout).toMatch(databaseKind === 'mysql' ? /clock: agrees with the database server/ : /clock: /);
  await service.stop('SIGTERM');

  if (databaseKind === 'sqlite') await chmod(database.url.slice('sqlite:'.length), 0o644);
  const broken = await runHere(['doctor'], { ...env, REDIS_URL: 'redis://127.0.0.1:1' });
  expect(broken.code).toBe(1);
  expect(broken.stdout).toMatch(
    /problem {2}service: .* does not respond \(ECONNREFUSED\)\n +remedy: start the service/,
  );
  expect(broken.stdout).toMatch(/problem {2}Redis: .*\n +remedy: start Redis, or correct REDIS_URL/);
  if (databaseKind === 'sqlite') expect(broken.stdout).toMatch(/mode 644\n +remedy: chmod 600/);
});

test('doctor names the remedy for a database that does not respond', async () => {
  const { code, stdout } = await runHere(['doctor'], { DATABASE_URL: 'mysql://root@127.0.0.1:1/x' });
  expect(code).toBe(1);
  expect(stdout).toContain('remedy: start the database server, or correct DATABASE_URL');
});

test('doctor tells to migrate an empty database', async ({ database }) => {
  if (databaseKind === 'sqlite') await writeFile(database.url.slice('sqlite:'.length), '', { mode: 0o600 });
  const { code, stdout } = await runHere(['doctor', '--json'], { DATABASE_URL: database.url });
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toContainEqual({
    what: 'database',
    found: 'responds, schema is absent or old',
    remedy: 'run migrate',
    ok: false,
  });
});

type Found = { readonly what: string; readonly found: string; readonly remedy?: string };

async function findProblems(env: Record<string, string>): Promise<Found[]> {
  const { code, stdout } = await runHere(['doctor', '--json'], env);
  const problems = JSON.parse(stdout).filter(({ ok }: { ok: boolean }) => !ok);
  // Also one of the machine, e.g. a clock without NTP.
  expect(code).toBe(problems.length > 0 ? 1 : 0);
  return problems;
}

test('doctor finds backups that stopped, a misspelled variable, and a webhook without a worker', async () => {
  const { database, clock, ...service } = await startTestService({ env: storyEnv });
  const file = join(await temporaryFolder(), 'status.json');
  const env = { DATABASE_URL: database.url, BACKUP_STATUS_FILE: file, RETENTION_READING_HOURS: '1' };
  const problems = await findProblems(env);
  const named = { what: 'environment', found: 'RETENTION_READING_HOURS is not a variable of this service' };
  expect(problems).toContainEqual({ ...named, remedy: 'did you mean RETENTION_READINGS_HOURS?', ok: false });
  const find = async (what: string) => (await findProblems(env)).find((it) => it.what === what);
  expect(await find('backup')).toMatchObject({
    found: `none is recorded in ${file}`,
    remedy: expect.stringContaining('backup --every'),
  });
  await recordBackup(file, Date.now() - 49 * 3_600_000);
  expect(await find('backup')).toMatchObject({ found: 'the last one is 49 hours old' });
  await recordBackup(file, Date.now() - 47 * 3_600_000);
  expect(await find('backup')).toBeUndefined();

  expect(await find('webhooks')).toBeUndefined();
  await service.post('/webhooks/register', { url: 'http://127.0.0.1:9/', events: ['state_change'] });
  await (await startStory({ database, clock, ...service })).change();
  expect(await find('webhooks')).toBeUndefined();
  const knex = openKnex(database.url);
  expect(await knex('outbox').decrement('created_at_ms', 301_000)).toBeGreaterThan(0);
  expect(await find('webhooks')).toMatchObject({
    found: 'a notification has been waiting for 5 minutes',
    remedy: 'run "npx state-service deliver", or set WORKER=1',
  });
  await knex('outbox').delete();
  expect(await find('webhooks')).toBeUndefined();
  await storeDue({ database, clock, ...service }, 'wh_1', 1);
  await knex('deliveries').decrement('due_at_ms', 301_000);
  expect(await find('webhooks')).toMatchObject({ found: 'a notification has been waiting for 5 minutes' });
});

test('doctor names the remedy for a file that is not a database', async () => {
  const database = await temporaryDatabase('sqlite');
  const file = database.url.slice('sqlite:'.length);
  const remedyOf = async () =>
    (await findProblems({ DATABASE_URL: database.url })).find((it) => it.what === 'database');
  await writeFile(file, 'not a database '.repeat(1_000), { mode: 0o600 });
  const foreign = {
    remedy: 'the file of DATABASE_URL is not an SQLite database: correct the path, or restore a backup',
  };
  expect(await remedyOf()).toMatchObject(foreign);
  expect((await runHere(['migrate'], { DATABASE_URL: database.url })).stderr).toContain(foreign.remedy);
});

test('a secrets key that is the text of a command is refused with the remedy, but accepted as an earlier key', async () => {
  const database = await temporaryDatabase();
  const run = (SECRETS_KEY: string) => runHere(['migrate'], { DATABASE_URL: database.url, SECRETS_KEY });
  const { code, stderr } = await run('$(openssl rand -hex 32)');
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/SECRETS_KEY is the text of a command, .*: set its output/),
  ]);
  expect(stderr).not.toContain('openssl');
  expect((await run(`${'k'.repeat(32)},$(head -c 32 /dev/urandom | base64)`)).code).toBe(0);
});

test('doctor names the retention that the apps of phones require', async ({ ownService: service }) => {
  const phone = await connectPhone(service, 'health_auto_export');
  const find = async (hours: string) => {
    const env = { DATABASE_URL: service.database.url, RETENTION_READINGS_HOURS: hours };
    return (await findProblems(env)).filter(({ what }) => what.startsWith('source'));
  };
  const atMs = service.clock.nowMs - 6.5 * 24 * 3_600_000;
  await phone.post({ data: { metrics: [metric('heart_rate', 'count/min', [[atMs, 72]])] } });
  expect(await find('24')).toMatchObject([
    { what: 'source health_auto_export', remedy: expect.stringContaining('RETENTION_READINGS_HOURS=169') },
  ]);
  expect(await find('169')).toEqual([]);
  await setUp({ ...service, accountId: phone.accountId }, { keep_readings_hours: 169 });
  expect(await find('24')).toEqual([]);
});

test('doctor finds alert rules that never fire, with the remedy', async ({ ownService: service }) => {
  const env = { DATABASE_URL: service.database.url };
  // Rules are in the order of their ids, which are random.
  const find = async () =>
    (await findProblems(env))
      .filter(({ what }) => what.startsWith('alert rule'))
      .sort((a, b) => a.found.localeCompare(b.found));
  const register = (more: object) =>
    service.post('/webhooks/register', { url: 'https://8.8.8.8/', events: ['alert'], ...more });
  await service.read({ subject_id: 'anna', heart_rate: 70 });
  await register({ events: ['state_change'] });
  await register({ subject_id: 'ben' });
  const { body: rule } = await service.post('/v1/alerts', { condition: 'above_usual', subject_ids: ['anna'] });
  const silent = { what: `alert rule ${rule.id} of ${service.accountId}` };
  expect(await find()).toMatchObject([{ ...silent, found: 'no webhook gets its alerts' }]);
  await register({ subject_id: 'anna' });
  expect(await find()).toEqual([]);
  Object.assign(env, { RETENTION_SUMMARY_DAYS: '6' });
  expect(await find()).toMatchObject([{ ...silent, remedy: 'set RETENTION_SUMMARY_DAYS to at least 7' }]);
  Object.assign(env, { RETENTION_SUMMARY_DAYS: '7' });
  await service.request('/v1/subjects/anna', { method: 'DELETE' });
  await register({});
  await service.post('/v1/alerts', { condition: 'stressed', subject_ids: ['carl', 'dora'] });
  expect(await find()).toMatchObject([
    { ...silent, remedy: `remove it with DELETE /v1/alerts/${rule.id}` },
    { found: 'nothing is stored of 2 of its people', remedy: expect.stringContaining('ids') },
  ]);
});
