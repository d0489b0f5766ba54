import { execFile } from 'node:child_process';
import { stat, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.js';
import { temporaryDatabase } from '../../testkit/temporary-database.js';
import { startProcessWithKey } from '../process/started.js';

const limitMs = 300_000;
const readingsMax = 5_000;
const roomBytes = 100_000;

/** Starts a service with a file size limit. The kernel rejects further writes as on a full disk. */
async function startLimited() {
  const database = await temporaryDatabase('sqlite');
  const clockFile = `${database.url.slice('sqlite:'.length)}.clock`;
  await writeFile(clockFile, String(Date.now()));
  const env = { DATABASE_URL: database.url, LOG_LEVEL: 'error', TEST_CLOCK_FILE: clockFile };
  const { service, key } = await startProcessWithKey(env);
  const headers = { 'X-Service-Key': key, 'Content-Type': 'application/json' };
  const ingest = (session_id: string) => {
    const body = JSON.stringify({ session_id, timestamp: new Date().toISOString(), heart_rate: 70 });
    return fetch(`${service.url}/v1/ingest`, { method: 'POST', headers, body });
  };
  const state = () => fetch(`${service.url}/v1/state?session_id=first`, { headers });
  const config = readConfig(env).database;
  const file = config.kind === 'sqlite' ? config.file : '';
  const limitTo = (size: number | 'unlimited') =>
    promisify(execFile)('prlimit', ['--pid', String(service.pid), `--fsize=${size}:unlimited`]);
  const largestFile = async () => Math.max((await stat(file)).size, (await stat(`${file}-wal`)).size);
  /** Sets the clock of the service ahead. */
  const advance = (seconds: number) => writeFile(clockFile, String(Date.now() + 1_000 * seconds));
  const readiness = async () => {
    const response = await fetch(`${service.url}/readyz`);
    return { status: response.status, body: await response.text() };
  };
  return { service, ingest, state, limitTo, largestFile, advance, readiness };
}

test(
  'a full disk gives 503 with Retry-After and a log line with the remedy, never 500, and ends the readiness',
  { timeout: limitMs },
  async () => {
    const { service, ingest, state, limitTo, largestFile, advance, readiness } = await startLimited();
    expect((await ingest('first')).status).toBe(200);
    await limitTo((await largestFile()) + roomBytes);
    let response = await ingest('filling');
    for (let sent = 0; response.status === 200 && sent < readingsMax; sent += 1)
      response = await ingest(`s${sent % 50}`);
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
    const more = await Promise.all(Array.from({ length: 8 }, (_, index) => ingest(`more-${index}`)));
    expect(new Set(more.map(({ status }) => status))).toEqual(new Set([503]));
    expect((await state()).status).toBe(200);
    expect(service.stderr()).toMatch(/"remedy":"the disk of the database (is full|is faulty or full)/);
    expect((await readiness()).status).toBe(200);
    await advance(11);
    // A result counts for half a second.
    await expect.poll(readiness).toMatchObject({
      status: 503,
      body: expect.stringContaining('accepts no writes: the disk'),
    });
    await limitTo('unlimited');
    await expect.poll(async () => (await readiness()).status).toBe(200);
    await expect.poll(async () => (await ingest('back')).status).toBe(200);
    await service.stop('SIGTERM');
  },
);
