import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { draw, type Scene, scenes, seededRandom } from '../../../src/terminal/scenes.js';

const connections = 64;
const tickMs = 2;
const intervalMs = 1_000;
/** Events that arrive later than this count as missing. An overloaded machine responds late. */
const patienceMs = 60_000;

export interface SteadyLoad {
  /** Records the arrival of events of a session. */
  arrived(sessionId: string, count: number): void;
  /** Sends one reading per second and session, evenly distributed over the second. */
  run(seconds: number): Promise<Latencies>;
  close(): Promise<void>;
}

export interface Latencies {
  /** Time from the response to ingest until the event, ms, ascending. 0 if the event arrived first. */
  readonly latenciesMs: readonly number[];
  readonly missing: number;
  readonly failures: number;
}

/** Times of readings of one session, in the order of sending. Arrived events belong to the oldest readings. */
interface Pending {
  readonly respondedAt: number[];
  readonly arrivedAt: number[];
}

export function startSteadyLoad(url: string, key: string, sessionIds: readonly string[]): SteadyLoad {
  const pool = new Pool(url, { connections });
  const headers = { 'X-Service-Key': key, 'Content-Type': 'application/json' };
  const random = seededRandom(1);
  const pending = new Map<string, Pending>();
  let latenciesMs: number[] = [];
  let failures = 0;
  const settle = ({ respondedAt, arrivedAt }: Pending) => {
    while (respondedAt.length > 0 && arrivedAt.length > 0)
      latenciesMs.push(Math.max(0, (arrivedAt.shift() ?? 0) - (respondedAt.shift() ?? 0)));
  };
  const pendingOf = (sessionId: string) => {
    const entry = pending.get(sessionId) ?? { respondedAt: [], arrivedAt: [] };
    pending.set(sessionId, entry);
    return entry;
  };
  const send = async (sessionId: string, index: number) => {
    const signals = draw(scenes[index % scenes.length] as Scene, random);
    const body = JSON.stringify({ session_id: sessionId, timestamp: new Date().toISOString(), ...signals });
    try {
      const response = await pool.request({ path: '/v1/ingest', method: 'POST', headers, body });
      const respondedAt = performance.now();
      await response.body.dump();
      if (response.statusCode !== 200) throw new Error(String(response.statusCode));
      const entry = pendingOf(sessionId);
      entry.respondedAt.push(respondedAt);
      settle(entry);
    } catch {
      failures += 1;
    }
  };
  return {
    arrived(sessionId, count) {
      const entry = pendingOf(sessionId);
      entry.arrivedAt.push(...Array<number>(count).fill(performance.now()));
      settle(entry);
    },
    async run(seconds) {
      [latenciesMs, failures] = [[], 0];
      pending.clear();
      const total = sessionIds.length * seconds;
      const startedAt = performance.now();
      for (let sent = 0; sent < total; await sleep(tickMs)) {
        const due = Math.min(total, Math.floor(((performance.now() - startedAt) * sessionIds.length) / intervalMs));
        for (; sent < due; sent += 1) void send(sessionIds[sent % sessionIds.length] as string, sent);
      }
      const endsAt = performance.now() + patienceMs;
      while (latenciesMs.length + failures < total && performance.now() < endsAt) await sleep(tickMs);
      const missing = total - latenciesMs.length - failures;
      return { latenciesMs: [...latenciesMs].sort((a, b) => a - b), missing, failures };
    },
    close: () => pool.destroy(),
  };
}
