import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { sources as settings } from '../../generated/spec.js';
import { atEndOfFile } from '../../testkit/at-end-of-file.js';
import { runHere, untilClosed } from '../../testkit/command-line.js';
import { metric } from '../../testkit/phone.js';
import { createMigratedDatabase } from '../../testkit/migrated-database.js';
import { type ServiceProgram, startServiceProgram } from '../../testkit/program.js';
import { ample } from '../../testkit/service.js';
import { until } from '../../testkit/until.js';

/** The tests share a service: each start takes a second. The last test ends it. */
let service: ServiceProgram;
const keys: Record<'generic' | 'health_auto_export', string[]> = { generic: [], health_auto_export: [] };

beforeAll(async () => {
  const { url: DATABASE_URL, drop } = await createMigratedDatabase();
  const create = async (...args: string[]) =>
    (await runHere(['keys', 'create', '--account', 'phones', ...args], { DATABASE_URL })).stdout.trim();
  await create('--tier', 'enterprise');
  for (const source of ['generic', 'health_auto_export'] as const)
    for (const person of ['p1', 'p2']) keys[source].push(await create('--source', source, '--subject', person));
  await untilClosed(DATABASE_URL);
  service = await startServiceProgram({ ...ample, DATABASE_URL });
  atEndOfFile(() => service.stop().then(drop));
});

/** Posts a large body for one of two people. */
async function post(
  source: keyof typeof keys,
  text: string,
  { person = 0, signal }: { person?: number; signal?: AbortSignal } = {},
) {
  expect(text.length).toBeGreaterThan(settings.large_bytes);
  const headers = { 'X-Service-Key': keys[source][person] ?? '', 'Content-Encoding': 'gzip' };
  const options = { method: 'POST', headers, body: gzipSync(text), ...(signal && { signal }) };
  const response = await fetch(`${service.url}/v1/sources/${source}`, options);
  return { status: response.status, body: await response.json() };
}

/** Returns objects of as many names as an object may have, which take seconds to read, and would take them to stringify. */
const busy = (objects: number) => {
  const namesOf = (index: number) =>
    Array.from({ length: settings.names_max - 1 }, (_, name) => `"n${index}x${name}":1`);
  return `[${Array.from({ length: objects }, (_, index) => `{"hr":70,${namesOf(index).join()}}`).join()}]`;
};

test('empty objects, and names of an object, have a limit before they are parsed: 20 MB of them take under 400 MB', async () => {
  const objects = (count: number) => `[{"hr":70}${',{}'.repeat(count - 2)}]`.padEnd(settings.large_bytes + 1);
  const form = { status: 422, body: { errors: [{ code: 'source_form' }] } };
  expect(await post('generic', objects(settings.objects_max))).toMatchObject({ status: 200, body: { stored: 1 } });
  expect(await post('generic', objects(settings.objects_max + 1))).toMatchObject(form);
  expect(await post('generic', objects(Math.floor(settings.max_bytes / 3) - 9))).toMatchObject(form);
  expect(await post('generic', busy(100))).toMatchObject({ status: 200, body: { skipped: { not_read: 99_900 } } });
  expect(await post('generic', busy(100).replace('{', '{"more":1,'))).toMatchObject(form);
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8')) ?? [];
  expect(Number(kilobytes) / 1024).toBeLessThan(400);
});

test('a large body, which a thread of its own reads, is stored or gets the error of a small one', async () => {
  const minuteMs = Math.floor(Date.now() / 60_000 - 200) * 60_000;
  const samples = Array.from({ length: 4_000 }, (_, index) => [minuteMs + index * 2_000, 70] as const);
  const text = JSON.stringify({ data: { metrics: [metric('heart_rate', 'count/min', samples)] } });
  expect(await post('health_auto_export', `\ufeff${text}`)).toMatchObject({ status: 200, body: { stored: 134 } });
  expect(await post('health_auto_export', text)).toMatchObject({ status: 200, body: { stored: 0, unchanged: 134 } });
  expect(await post('health_auto_export', text.slice(0, -1))).toMatchObject({
    status: 400,
    body: { code: 'invalid_payload' },
  });
  const form = { status: 422, body: { errors: [{ code: 'source_form' }] } };
  expect(await post('health_auto_export', `[${text}]`)).toMatchObject(form);
  expect(await post('health_auto_export', '['.repeat(settings.max_bytes))).toMatchObject(form);
});

/** Returns the nice values of the threads of a process. */
function readNiceness(pid: number): number[] {
  const tasks = readdirSync(`/proc/${pid}/task`).map((task) => `/proc/${pid}/task/${task}/stat`);
  return tasks.map((it) => Number(readFileSync(it, 'utf8').split(') ')[1]?.split(' ')[16]));
}

test('an account has one thread for its large bodies, which ends when the client leaves, and at SIGTERM', async () => {
  const countThreads = () => readdirSync(`/proc/${service.pid}/task`).length;
  const large = busy(900);
  expect((await post('generic', busy(100))).status).toBe(200);
  const before = countThreads();
  const client = new AbortController();
  const posts = [0, 1].map((person) =>
    post('generic', large, { person, signal: client.signal }).catch(() => undefined),
  );
  await until('the thread', () => countThreads() > before);
  expect(countThreads()).toBe(before + 1);
  await until('its lower priority', () => readNiceness(service.pid).filter((it) => it > 0).length === 1);
  client.abort();
  await Promise.all(posts);
  await until('no thread', () => countThreads() === before);
  const last = post('generic', large);
  await until('the thread', () => countThreads() > before);
  expect((await service.stop()).code).toBe(0);
  expect((await last).status).toBe(503);
});
