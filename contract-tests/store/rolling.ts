import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { createKeyOf, type ServiceProgram, startServiceProgram } from '../../testkit/program.js';
import { ample } from '../../testkit/service.js';
import { temporaryDatabase } from '../../testkit/temporary-database.js';
import { until } from '../../testkit/until.js';

/** Number of sessions that send readings at the same time. */
export const lanes = 4;
/** Pause between two readings of a lane, because a load without a pause would use every core, ms. */
const pauseMs = 20;

export interface Acknowledged {
  readonly body: Readonly<Record<string, unknown>>;
  readonly response: unknown;
  /** The program that acknowledged the reading. */
  readonly by: ServiceProgram;
}

/** Creates a database, a key, and functions that call programs on it. */
export async function openDatabaseOfTest() {
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
export function startLoad(send: Send, programs: ServiceProgram[]) {
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
export async function exportFrom(send: Send, program: ServiceProgram): Promise<string[]> {
  const { text } = await send(program, '/v1/export');
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => toText(JSON.parse(line).reading));
}

export const toText = ({ session_id, timestamp, heart_rate }: Acknowledged['body']) =>
  `${session_id} ${timestamp} ${heart_rate}`;
