/** The calls of the gateway to the state service. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { fitBody, type StateReading, type Submission } from '../client/src/index.js';

export interface Answer {
  readonly reading?: StateReading | undefined;
  /** Why there is no reading. Contains nothing of the request. */
  readonly reason?: string;
  /** Whether the service accepts the credential. Undefined: it did not say. */
  readonly isAccepted?: boolean;
  /** Wait before a retry, ms. Undefined: a retry is useless. */
  readonly retryAfterMs?: number | undefined;
}

interface Call {
  readonly credential: string;
  readonly path: string;
  readonly body?: object;
  /** Time of each attempt, ms. */
  readonly timeoutMs: number;
  readonly retriesMax?: number;
}

/** The session or the person whose state is read. */
export type Whose = { readonly session_id: string } | { readonly subject_id: string };

/** Total wait between the attempts of a call, ms. */
const waitBudgetMs = 5_000;
const jitterMs = 250;

/** Creates the client of a service, with at most this number of connections. Its calls never reject. */
export function createService(serviceUrl: string, connections: number | null = null) {
  const { origin, pathname } = new URL(serviceUrl);
  // Has one origin and follows no redirect, which could send the key to another host.
  const pool = new Pool(origin, { connections });

  async function attempt({ credential, path, body, timeoutMs }: Call): Promise<Answer> {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), timeoutMs);
    try {
      const answer = await pool.request({
        method: body ? 'POST' : 'GET',
        path: pathname.replace(/\/$/, '') + path,
        headers: {
          ...(isKey(credential) ? { 'x-service-key': credential } : { authorization: `Bearer ${credential}` }),
          ...(body && { 'content-type': 'application/json' }),
        },
        body: body ? JSON.stringify(body) : null,
        signal: controller.signal,
      });
      return readAnswer(answer.statusCode, answer.headers['retry-after'], await answer.body.text());
    } catch {
      return { reason: controller.signal.aborted ? 'timeout' : 'service_unavailable', retryAfterMs: 0 };
    } finally {
      clearTimeout(timer);
    }
  }

  async function call(options: Call): Promise<Answer> {
    let budgetMs = waitBudgetMs;
    for (let retries = 0; ; retries += 1) {
      const answer = await attempt(options);
      const waitMs = (answer.retryAfterMs ?? Infinity) + Math.random() * jitterMs * 2 ** retries;
      if (waitMs > budgetMs || retries >= (options.retriesMax ?? 0)) return answer;
      budgetMs -= waitMs;
      await sleep(waitMs);
    }
  }

  return {
    /** Sends a reading, which is safe to repeat. Cuts its texts to the size of a body. */
    ingest: (credential: string, reading: Submission, limits: Pick<Call, 'timeoutMs' | 'retriesMax'>) =>
      call({ ...limits, credential, path: '/v1/ingest', body: fitBody(reading) }),
    readState: (credential: string, whose: Whose, limits: Pick<Call, 'timeoutMs'>) =>
      call({ ...limits, credential, path: `/v1/state?${new URLSearchParams({ ...whose })}` }),
    /** Sends an empty reading, whose error tells whether a token may send readings. */
    checkSender: (credential: string, limits: Pick<Call, 'timeoutMs'>) =>
      call({ ...limits, credential, path: '/v1/ingest', body: {} }),
    close: () => pool.close(),
  };
}

export const missingScope = 'insufficient_scope';

export function isKey(credential: string): boolean {
  return credential.startsWith('sk_');
}

type Body = Partial<StateReading> & { code?: unknown; request_id?: unknown; violated_policies?: string[] };

/** A body that is not of the service, e.g. of a proxy, does not say whether the service accepts the credential. */
function readAnswer(status: number, retryAfter: unknown, text: string): Answer {
  const body = parse(text);
  if (status === 200 && body.state !== undefined) return { reading: body as StateReading, isAccepted: true };
  const seconds = /^\d+$/.test(String(retryAfter)) ? Number(retryAfter) : 1;
  const retryAfterMs = [429, 503].includes(status) ? seconds * 1000 : [502, 504].includes(status) ? 0 : undefined;
  const { code, request_id, violated_policies = [] } = body;
  if (typeof code !== 'string' || request_id === undefined) return { reason: 'service_unavailable', retryAfterMs };
  // The limit of failed authentications counts rejected keys only, so its error is also a rejected key.
  if (status === 401 || violated_policies.includes('failed-authentications'))
    return { reason: code, isAccepted: false };
  const reason = ['session_not_found', 'subject_not_found'].includes(code) ? 'no_data' : code;
  return { reason, retryAfterMs, ...(status < 500 && { isAccepted: true }) };
}

function parse(text: string): Body {
  try {
    return (JSON.parse(text) as Body | null) ?? {};
  } catch {
    return {};
  }
}
