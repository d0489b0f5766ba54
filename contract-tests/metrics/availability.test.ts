import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { backUpToFile } from '../../src/cli/backups/backup.js';
import { readConfig } from '../../src/config/config.js';
import { readLastBackup, recordBackup } from '../../src/observe/probes.js';
import { readMetric } from '../../testkit/metrics.js';
import { startDeliver } from '../../testkit/process.js';
import { startTestService } from '../../testkit/service.js';
import { openKnex, temporaryDatabase } from '../../testkit/temporary-database.js';
import { temporaryFolder } from '../../testkit/temporary-folder.js';
import { expect, test } from '../../testkit/test.js';
import { until } from '../../testkit/until.js';

test('a process with pending migrations is not ready, although its database responds', async () => {
  const service = await startTestService({ env: { METRICS_PORT: '0' } });
  const read = (name: string) => readMetric(service.metricsUrl, name);
  expect([await read('database_up'), await read('ready')]).toEqual([1, 1]);
  const knex = openKnex(service.database.url);
  await knex('schema_migrations').delete();
  await until('the process is not ready', async () => (await read('ready')) === 0);
  expect(await read('database_up')).toBe(1);
  expect((await fetch(new URL('/readyz', service.metricsUrl))).status).toBe(503);
  expect((await fetch(new URL('/healthz', service.metricsUrl))).status).toBe(200);
});

test('a process whose shutdown has begun is not ready', async () => {
  const service = await startTestService({ env: { METRICS_PORT: '0' } });
  service.leave();
  expect(await readMetric(service.metricsUrl, 'ready')).toBe(0);
  expect((await fetch(new URL('/readyz', service.metricsUrl))).status).toBe(503);
});

test('the time of the last complete purge is a metric', async () => {
  const service = await startTestService({ env: { METRICS_PORT: '0' } });
  const read = () => readMetric(service.metricsUrl, 'last_purge_timestamp_seconds');
  await until('a purge is complete', async () => (await read()) === service.clock.nowMs / 1000);
});

test('the age of the oldest row past its retention is a metric', async () => {
  const { read: send, database, clock } = await startTestService({});
  await send({ heart_rate: 70 });
  const env = { METRICS_PORT: '0', RETENTION_READINGS_HOURS: '24', RETENTION_SUMMARY_DAYS: '0' };
  const { metricsUrl } = await startTestService({ database, clock, env });
  const read = () => readMetric(metricsUrl, 'purge_lag_seconds');
  await until(
    'a purge is complete',
    async () => ((await readMetric(metricsUrl, 'last_purge_timestamp_seconds')) ?? 0) > 0,
  );
  expect(await read()).toBe(0);
  clock.advance(9 * 86_400);
  expect(await read()).toBe(8 * 86_400);
});

test('the time of the last backup is a metric, 0 without a valid record, and absent without BACKUP_STATUS_FILE', async () => {
  const folder = await temporaryFolder();
  const file = join(folder, 'status.json');
  const { metricsUrl } = await startTestService({ env: { METRICS_PORT: '0', BACKUP_STATUS_FILE: file } });
  const name = 'last_backup_timestamp_seconds';
  expect(await readMetric(metricsUrl, name)).toBe(0);
  await writeFile(file, '{"completed_at":');
  expect(await readMetric(metricsUrl, name)).toBe(0);
  await recordBackup(file, 1_795_384_287_500);
  expect(await readMetric(metricsUrl, name)).toBe(1_795_384_287.5);
  expect((await stat(file)).mode & 0o777).toBe(0o644);
  const without = await startTestService({ env: { METRICS_PORT: '0' } });
  expect(await readMetric(without.metricsUrl, name)).toBeUndefined();
});

test('a backup of an embedded database records its time, and a failed one does not', async () => {
  const { database } = await startTestService({ database: await createEmbedded() });
  const folder = await temporaryFolder();
  const status = join(folder, 'status.json');
  const config = readConfig({ DATABASE_URL: database.url, BACKUP_STATUS_FILE: status });
  const copy = join(folder, 'copy.db');
  await backUpToFile(config, copy);
  const recordedAtMs = await readLastBackup(status);
  expect(recordedAtMs).toBeGreaterThan(0);
  await expect(backUpToFile(config, copy)).rejects.toThrow('exists already');
  expect(await readLastBackup(status)).toBe(recordedAtMs);
});

async function createEmbedded() {
  const database = await temporaryDatabase('sqlite');
  return database;
}

test('a worker process has metrics and probes', async ({ database }) => {
  const { metricsUrl } = await startTestService({ env: { METRICS_PORT: '0' }, database });
  const worker = await startDeliver({ DATABASE_URL: database.url, METRICS_PORT: '0' });
  const workerUrl = await worker.find(/^Metrics on (\S+)$/m);
  for (const path of ['/healthz', '/readyz']) expect((await fetch(new URL(path, workerUrl))).status).toBe(200);
  for (const url of [metricsUrl, workerUrl]) expect(await readMetric(url, 'database_up')).toBe(1);
  expect(await worker.stop()).toMatchObject({ code: 0 });
});
