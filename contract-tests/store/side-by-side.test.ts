import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { buildNextVersion } from '../../testkit/next-version.js';
import { runMain } from '../../testkit/process.js';
import { createKeyOf, type ServiceProgram, startServiceProgram } from '../../testkit/program.js';
import { ample } from '../../testkit/service.js';
import { everythingStored } from '../../testkit/stored.js';
import { temporaryDatabase } from '../../testkit/temporary-database.js';
import { until } from '../../testkit/until.js';

const lanes = 4;
/** Pause between two readings of a lane, because a load without a pause would use every core, ms. */
const pauseMs = 20;

interface Acknowledged {
  readonly body: Readonly<Record<string, unknown>>;
  readonly response: unknown;
  /** The program that acknowledged the reading. */
  readonly by: ServiceProgram;
}

/** Creates a database, a key, and functions that call programs on it. */
async function openDatabaseOfTest() {
  const database = await temporaryDatabase();
  const key = await createKeyOf(database.url, 'acme');
  const headers = { 'X-Service-Key': key, 'Content-Type': 'application/json' };
  const env = { DATABASE_URL: database.url, SHUTDOWN_DELAY_SECONDS: '0', ...ample };
  const start = async (file?: string) => {
    const program = await startServiceProgram(env, file === undefined ? {} : { file });
    onTestFinished(() => void program.stop('SIGKILL'));
    return program;
  };
  const send = async ({ url }: ServiceProgram, path: string, method = 'GET', body?: unknown) => {
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await fetch(url + path, init);
    return { status: response.status, text: await response.text() };
  };
  return { database, env, start, send };
}

type Send = Awaited<ReturnType<typeof openDatabaseOfTest>>['send'];

/** Sends readings alternately to `programs` until `stop`. Sends a failed reading again, to the next program. */
function startLoad(send: Send, programs: ServiceProgram[]) {
  const acknowledged: Acknowledged[] = [];
  let isOn = true;
  const run = async (lane: number) => {
    for (let count = 0; isOn; count++) {
      const signals = { heart_rate: 60 + (count % 60) };
      const body = { session_id: `s${lane}`, subject_id: 'p', timestamp: new Date().toISOString(), ...signals };
      for (let turn = count, isDone = false; isOn && !isDone; turn++) {
        const by = programs[turn % programs.length] as ServiceProgram;
        const answer = await send(by, '/v1/ingest', 'POST', body).catch(() => undefined);
        isDone = answer?.status === 200;
        if (isDone) acknowledged.push({ body, response: JSON.parse(answer?.text ?? ''), by });
        await sleep(pauseMs);
      }
    }
  };
  const done = Promise.all(Array.from({ length: lanes }, (_, lane) => run(lane)));
  return {
    acknowledged,
    /** Waits for more acknowledged readings. */
    async more(count = 25) {
      const goal = acknowledged.length + count;
      await until(`${goal} readings are acknowledged`, async () => acknowledged.length >= goal);
    },
    async stop() {
      isOn = false;
      await done;
    },
  };
}

/** Returns the exported readings of the account as text, without duplicates being removed. */
async function exportFrom(send: Send, program: ServiceProgram): Promise<string[]> {
  const { text } = await send(program, '/v1/export');
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => toText(JSON.parse(line).reading));
}

const toText = ({ session_id, timestamp, heart_rate }: Acknowledged['body']) =>
  `${session_id} ${timestamp} ${heart_rate}`;

test('two versions serve one database after an additive migration, up, back and up, and lose and repeat nothing', async () => {
  const { database, start, send } = await openDatabaseOfTest();
  const next = buildNextVersion(false);
  const programs = [await start()];
  const load = startLoad(send, programs);
  await load.more();

  const [old, newer] = [programs[0] as ServiceProgram, await start(next)];
  programs.push(newer);
  await load.more();
  for (const program of programs) expect((await send(program, '/readyz')).status).toBe(200);
  const gone = { session_id: 'gone', subject_id: 'erased', timestamp: new Date().toISOString(), heart_rate: 70 };
  for (const [writer, eraser] of [
    [newer, old],
    [old, newer],
  ] as const) {
    expect((await send(writer, '/v1/ingest', 'POST', gone)).status).toBe(200);
    expect((await send(eraser, '/v1/subjects/erased', 'DELETE')).status).toBe(200);
    expect((await send(writer, '/v1/state?session_id=gone')).status).toBe(404);
  }

  programs.splice(0, 1);
  await old.stop();
  await load.more();
  const back = await start();
  programs.splice(0, 1, back);
  await newer.stop();
  await load.more();
  const again = await start(next);
  programs.push(again);
  await load.more();
  await load.stop();

  const expected = load.acknowledged.map(({ body }) => toText(body));
  for (const { body, response } of load.acknowledged.slice(-2 * lanes))
    for (const program of programs)
      expect(JSON.parse((await send(program, '/v1/ingest', 'POST', body)).text)).toEqual(response);
  for (const program of programs) {
    const exported = await exportFrom(send, program);
    expect(exported).toEqual(expect.arrayContaining(expected));
    expect(new Set(exported).size).toBe(exported.length);
    expect(exported.filter((line) => line.startsWith('gone'))).toEqual([]);
  }
  for (const program of programs) await program.stop();
  expect(await everythingStored(database)).not.toContain('gone');
}, 240_000);

test('once a breaking migration has run, a running process of the earlier version acknowledges nothing more', async () => {
  const { env, start, send } = await openDatabaseOfTest();
  const old = await start();
  const programs = [old];
  const load = startLoad(send, programs);
  await load.more();

  const newer = await start(buildNextVersion(true));
  const before = load.acknowledged.length;
  programs.push(newer);
  await load.more();
  expect(load.acknowledged.slice(before).filter(({ by }) => by === old)).toEqual([]);
  await load.stop();

  const reading = { session_id: 's9', timestamp: new Date().toISOString(), heart_rate: 70 };
  expect(await send(old, '/v1/ingest', 'POST', reading)).toMatchObject({ status: 503 });
  expect((await send(old, '/readyz')).status).toBe(503);
  expect((await send(old, '/healthz')).status).toBe(200);
  expect((await send(newer, '/v1/ingest', 'POST', reading)).status).toBe(200);
  const exported = await exportFrom(send, newer);
  expect(exported).toEqual(expect.arrayContaining(load.acknowledged.map(({ body }) => toText(body))));
  await old.stop();
  const ended = await runMain(['serve'], env);
  expect(ended.code).toBe(1);
  expect(ended.stderr).toMatch(/^error: .*a newer version changed the schema \(migration next-year\).*\n$/);
}, 240_000);
