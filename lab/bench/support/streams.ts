import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { draw, type Scene, scenes, seededRandom } from '../../../packages/tools/terminal/scenes.js';
import { headersOf } from '../../check/shared/client.js';
import { sendAtRate } from '../../check/shared/timing.js';
import { connections } from './generator.js';

/** Streams that are opened at the same time. */
const openingAtOnce = 50;
const lookMs = 2;
/** Events that arrive later than this count as missing. An overloaded machine responds late. */
const patienceMs = 60_000;

/** Receives the session and the number of readings that have arrived. */
type OnReadings = (sessionId: string, count: number) => void;

/**
 * Opens one stream per session, on a connection each. The clients do not parse the events, so that they use little CPU
 * time.
 */
export async function openStreams(
  url: string,
  key: string,
  sessionIds: readonly string[],
  onReadings: OnReadings = () => undefined,
): Promise<{ close(): void }> {
  const agent = new Agent({ keepAlive: false });
  const waiting = [...sessionIds];
  const openNext = async () => {
    for (let sessionId = waiting.pop(); sessionId !== undefined; sessionId = waiting.pop())
      await openOne(agent, url, key, sessionId, onReadings);
  };
  await Promise.all(Array.from({ length: openingAtOnce }, openNext));
  return { close: () => agent.destroy() };
}

async function openOne(agent: Agent, url: string, key: string, sessionId: string, onReadings: OnReadings) {
  const headers = { 'X-Service-Key': key };
  const sent = request(`${url}/v1/stream?events=reading&session_id=${sessionId}`, { agent, headers }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`a stream got status ${response.statusCode}`);
  // Closing the agent breaks the connections.
  response.on('error', () => undefined);
  // The start of an incomplete line.
  let rest = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const text = rest + chunk;
    rest = text.slice(text.lastIndexOf('\n'));
    const count = text.split('\nevent: reading\n').length - 1;
    if (count > 0) onReadings(sessionId, count);
  });
}

export interface Timed {
  /** Time from the response to ingest until the event, ms. 0 if the event arrived first. */
  readonly latenciesMs: readonly number[];
  readonly missing: number;
  readonly failures: number;
}

/**
 * Times of the readings of one session that lack their response or their event, in the order of sending. The n-th entry
 * of each list belongs to the n-th of these readings.
 */
interface Pending {
  readonly respondedAt: number[];
  readonly arrivedAt: number[];
}

interface SteadyLoad {
  /** Records the arrival of events of a session. */
  readonly arrived: OnReadings;
  /** Sends one reading per second and session, evenly distributed over the second. */
  run(seconds: number): Promise<Timed>;
}

/** Runs the work with a load that sends readings at a constant rate. */
export async function sendSteadily<T>(
  url: string,
  key: string,
  sessionIds: readonly string[],
  work: (load: SteadyLoad) => Promise<T>,
): Promise<T> {
  const pool = new Pool(url, { connections });
  const headers = headersOf(key);
  const random = seededRandom(1);
  const pending = new Map<string, Pending>();
  let latenciesMs: number[] = [];
  let failures = 0;
  const record = (sessionId: string, name: keyof Pending, count: number) => {
    const entry = pending.get(sessionId) ?? { respondedAt: [], arrivedAt: [] };
    pending.set(sessionId, entry);
    entry[name].push(...Array<number>(count).fill(performance.now()));
    while (entry.respondedAt.length > 0 && entry.arrivedAt.length > 0)
      latenciesMs.push(Math.max(0, (entry.arrivedAt.shift() ?? 0) - (entry.respondedAt.shift() ?? 0)));
  };
  const send = async (session_id: string, index: number) => {
    const signals = draw(scenes[index % scenes.length] as Scene, random);
    const body = JSON.stringify({ session_id, timestamp: new Date().toISOString(), ...signals });
    try {
      const { statusCode, body: answer } = await pool.request({ path: '/v1/ingest', method: 'POST', headers, body });
      if (statusCode !== 200) throw new Error(String(statusCode));
      record(session_id, 'respondedAt', 1);
      await answer.dump();
    } catch {
      failures += 1;
    }
  };
  const run = async (seconds: number): Promise<Timed> => {
    [latenciesMs, failures] = [[], 0];
    pending.clear();
    const total = sessionIds.length * seconds;
    await sendAtRate(sessionIds.length, total, (sent) => send(sessionIds[sent % sessionIds.length] as string, sent));
    const endsAt = performance.now() + patienceMs;
    while (latenciesMs.length + failures < total && performance.now() < endsAt) await sleep(lookMs);
    return { latenciesMs, missing: total - latenciesMs.length - failures, failures };
  };
  return work({ run, arrived: (sessionId, count) => record(sessionId, 'arrivedAt', count) }).finally(() =>
    pool.destroy(),
  );
}
