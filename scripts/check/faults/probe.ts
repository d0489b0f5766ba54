import { setTimeout as sleep } from 'node:timers/promises';
import type { Finding } from '../attacks/finding.js';
import type { Stage } from '../attacks/stage.js';

const pauseMs = 100;
const answerMs = 15_000;
const session = 'probed';

/** Documented status while a database is unavailable. */
const unavailable = 503;

interface Call {
  readonly path: string;
  readonly method?: string;
  readonly body?: unknown;
}

/** Calls that read and write each table family. */
const calls: readonly Call[] = [
  { path: `/v1/state?session_id=${session}` },
  { path: `/v1/history?session_id=${session}&minutes=60` },
  { path: '/v1/triggers?subject_id=probed' },
  { path: '/v1/subjects/probed', method: 'DELETE' },
  { path: '/webhooks' },
  { path: '/webhooks/retries' },
  { path: '/webhooks/retries', method: 'POST', body: { delivery_ids: ['none'] } },
  { path: '/webhooks/register', method: 'POST', body: { url: 'http://127.0.0.1:9/none', events: ['state_change'] } },
  { path: '/readyz' },
];

export interface Probe {
  /** Stops the calls. Resolves with one finding per response that the fault does not excuse. */
  stop(): Promise<readonly Finding[]>;
}

/** Calls the other operations repeatedly during a fault. */
export function startProbe({ service, attacker: { key } }: Stage): Probe {
  const statuses = new Map<string, number>();
  let isStopped = false;
  const run = async () => {
    for (let count = 0; !isStopped; count += 1) {
      const { path, method = 'GET', body } = calls[count % calls.length] as Call;
      const status = await statusOf(service().url + path, method, key, body);
      if (status >= 500 && status !== unavailable) {
        const call = `${method} ${path.replace(/\?.*/, '')}: ${status}`;
        statuses.set(call, (statuses.get(call) ?? 0) + 1);
      }
      await sleep(pauseMs);
    }
  };
  const running = run();
  return {
    async stop() {
      isStopped = true;
      await running;
      return [...statuses].map(([what, found]) => ({ what, found, allowed: 0 }));
    },
  };
}

/** Resolves with the status of a request. 0 if there is no response. */
async function statusOf(url: string, method: string, key: string, body: unknown): Promise<number> {
  const headers = { 'X-Service-Key': key, 'Content-Type': 'application/json' };
  const text = body === undefined ? {} : { body: JSON.stringify(body) };
  const signal = AbortSignal.timeout(answerMs);
  try {
    const response = await fetch(url, { method, headers, ...text, signal });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}
