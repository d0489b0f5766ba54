import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { runHere } from '../../testkit/command-line.js';
import { startServiceProgram } from '../../testkit/program.js';
import { migratedDatabase, openKnex } from '../../testkit/temporary-database.js';
import { until } from '../../testkit/until.js';
import { startWithKey } from './started.js';

/** Kills of a test run. `ACCESS_RECORD_KILLS=20` runs the longer check. */
const kills = Number(process.env['ACCESS_RECORD_KILLS'] ?? 2);
/** Pause between two reads of a client, because reads without a pause would use every core, ms. */
const pauseMs = 10;

test('kill -9 during reads, erasures and consents leaves a valid record, and audit lists the accesses', async () => {
  const database = await migratedDatabase();
  const env = { DATABASE_URL: database.url, LIMIT_SESSION_REQUESTS_PER_MINUTE: '0', LIMIT_MONTHLY_CALLS: '0' };
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runHere(args, { DATABASE_URL: database.url });
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    return stdout.trim();
  };
  let key: string | undefined;
  let read = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const service = await startServiceProgram(env);
    key ??= await run('keys', 'create', '--account', 'acme', '--tier', 'enterprise');
    const headers = { 'X-Service-Key': key, 'Content-Type': 'application/json' };
    const timestamp = new Date().toISOString();
    for (let person = 0; person < 20; person += 1) {
      const reading = { session_id: `s-${person}`, subject_id: `p-${person}`, timestamp, heart_rate: 70 };
      await fetch(`${service.url}/v1/ingest`, { method: 'POST', headers, body: JSON.stringify(reading) });
    }
    await run('accounts', 'set', 'acme', 'consent', 'record');
    const countAccesses = async () => {
      const response = await fetch(`${service.url}/v1/subjects/p-0/accesses`, { headers });
      const { accesses } = (await response.json()) as { accesses: unknown[] };
      return accesses.length;
    };
    const [before, stored] = [read, await countAccesses()];
    let isRunning = true;
    const readAll = async (client: number) => {
      for (let index = client; isRunning; index += 1) {
        const response = await fetch(`${service.url}/v1/subjects/p-${index % 20}`, { headers }).catch(() => undefined);
        if (response?.ok) read += 1;
        await sleep(pauseMs);
      }
    };
    const eraseAll = async () => {
      for (let person = 19; isRunning && person > 9; person -= 1)
        await fetch(`${service.url}/v1/subjects/p-${person}`, { method: 'DELETE', headers }).catch(() => undefined);
    };
    const decideAll = async () => {
      for (let count = 0; isRunning; count += 1) {
        const decision = { categories: ['cardiovascular'], purposes: ['adapt'], context: 'care' };
        const body = JSON.stringify({ ...decision, event_time: new Date().toISOString() });
        const path = `/v1/subjects/p-${count % 20}/consent`;
        await fetch(`${service.url}${path}`, { method: 'PUT', headers, body }).catch(() => undefined);
        await sleep(pauseMs);
      }
    };
    const clients = [...[0, 5, 10, 15].map(readAll), eraseAll(), decideAll()];
    await until('reads', () => read > before + 50);
    // Accesses are stored once a second. A kill before the first second leaves none.
    await until('a stored access of this process', async () => (await countAccesses()) > stored);
    await service.stop('SIGKILL');
    isRunning = false;
    await Promise.all(clients);
  }
  const verified = JSON.parse(await run('audit', '--verify', '--json'));
  expect(verified.faults).toEqual([]);
  const lines = (await run('audit', '--account', 'acme', '--json', '--limit', '1000')).split('\n');
  const accesses = await openKnex(database.url)('access_entries').whereNot('credential', 'service');
  expect(lines).toHaveLength(accesses.length);
  expect(verified.entries).toBeGreaterThan(accesses.length);
  const read1 = { account: 'acme', action: 'read', operation: 'getSubject' };
  expect(lines.map((line) => JSON.parse(line))).toContainEqual(expect.objectContaining(read1));
  const table = await run('audit', '--account', 'acme', '--subject', 'p-1');
  expect(table).toMatch(
    /^MINUTE +ACCOUNT +ACTION +OPERATION +KEY_ID +CREDENTIAL +SUBJECT\n\S+ +acme +read +getSubject/,
  );
}, 600_000);

test('keys receipt rotate prints the id of the new key, which keys receipt list shows as the one that signs', async () => {
  const { env } = await migratedDatabase();
  await (await startWithKey(env)).service.stop();
  const run = async (...args: string[]) => (await runHere(['keys', 'receipt', ...args], env)).stdout.trim();
  const [first, second] = [await run('rotate'), await run('rotate')];
  const list = await run('list');
  expect(list).toMatch(new RegExp(`^KEY_ID.*\n${second} .* signs\n${first} .* retired$`));
});
