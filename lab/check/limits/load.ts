import { Pool } from 'undici';

/** One request with its outcome. */
export interface Answered {
  /** Index of the process that handled the request. */
  readonly process: number;
  readonly session: string;
  readonly status: number;
  /** Arrival time of the response, epoch ms. */
  readonly atMs: number;
  /** Value of the RateLimit field. Empty if the response has no such field. */
  readonly rateLimit: string;
}

export interface Load {
  readonly urls: readonly string[];
  readonly key: string;
  readonly sessions: readonly string[];
  readonly requests: number;
  /** Called after each response. */
  readonly onAnswer: () => void;
  /** Function that runs once, after `after` responses. */
  readonly midway?: { readonly after: number; readonly run: () => Promise<void> };
}

const connections = 16;
const answerMs = 30_000;

/**
 * Sends readings, state requests and history requests in turn. Each session uses every process. Rejects when a request
 * gets no response.
 */
export async function sendLoad({ urls, key, sessions, requests, onAnswer, midway }: Load): Promise<Answered[]> {
  const pools = urls.map((url) => new Pool(url, { connections, headersTimeout: answerMs, bodyTimeout: answerMs }));
  const headers = { 'X-Service-Key': key, 'Content-Type': 'application/json' };
  const answers: Answered[] = [];
  let disturbed: Promise<void> | undefined;
  let sent = 0;
  const work = async () => {
    while (sent < requests) {
      const number = sent++;
      const process = Math.floor(number / sessions.length) % urls.length;
      const session = sessions[number % sessions.length] ?? '';
      const kind = Math.floor(number / (sessions.length * urls.length)) % 3;
      const request = { headers, ...requestOf(session, kind) };
      const response = await (pools[process] as Pool).request(request);
      await response.body.dump();
      const rateLimit = String(response.headers['ratelimit'] ?? '');
      answers.push({ process, session, status: response.statusCode, atMs: Date.now(), rateLimit });
      onAnswer();
      if (answers.length === midway?.after) disturbed = midway.run();
    }
  };
  try {
    await Promise.all(Array.from({ length: urls.length * connections }, work));
    await disturbed;
    return answers;
  } finally {
    for (const pool of pools) await pool.destroy();
  }
}

function requestOf(session_id: string, kind: number) {
  if (kind > 0) {
    const path = `/v1/${kind === 1 ? 'state' : 'history'}?session_id=${session_id}`;
    return { method: 'GET', path } as const;
  }
  const reading = { session_id, timestamp: new Date().toISOString(), heart_rate: 60 + Math.floor(Math.random() * 40) };
  return { method: 'POST', path: '/v1/ingest', body: JSON.stringify(reading) } as const;
}
