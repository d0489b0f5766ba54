import { Agent, request as httpRequest } from 'node:http';

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
  readonly signal: AbortSignal;
  /** Called after each response. */
  readonly onAnswer: () => void;
  /** Function that runs once, after `after` responses. */
  readonly midway?: { readonly after: number; readonly run: () => Promise<void> };
}

const connectionsPerProcess = 16;
const requestLimitMs = 30_000;

/**
 * Sends readings, state requests and history requests in turn. Each session uses every process. Rejects when a request
 * gets no response.
 */
export async function sendLoad(load: Load): Promise<Answered[]> {
  const { urls, sessions, requests, onAnswer, midway } = load;
  const agent = new Agent({ keepAlive: true, maxSockets: connectionsPerProcess });
  const answers: Answered[] = [];
  let disturbed: Promise<void> | undefined;
  let sent = 0;
  const work = async () => {
    while (sent < requests) {
      const number = sent++;
      // Every session uses every process.
      const process = Math.floor(number / sessions.length) % urls.length;
      const session = sessions[number % sessions.length] ?? '';
      const kind = Math.floor(number / (sessions.length * urls.length)) % 3;
      answers.push({ process, session, ...(await send(load, agent, urls[process] ?? '', session, kind)) });
      onAnswer();
      if (answers.length === midway?.after) disturbed = midway.run();
    }
  };
  try {
    await Promise.all(Array.from({ length: urls.length * connectionsPerProcess }, work));
    await disturbed;
    return answers;
  } finally {
    agent.destroy();
  }
}

type Sent = Pick<Answered, 'status' | 'atMs' | 'rateLimit'>;

function send({ key, signal }: Load, agent: Agent, url: string, session: string, kind: number): Promise<Sent> {
  const [method, path] = targetOf(session, kind);
  const body = method === 'POST' ? readingOf(session) : '';
  const headers = {
    'X-Service-Key': key,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
  };
  return new Promise((resolve, reject) => {
    const request = httpRequest(url + path, { agent, method, headers, signal, timeout: requestLimitMs }, (response) => {
      const rateLimit = String(response.headers['ratelimit'] ?? '');
      response.resume().once('end', () => resolve({ status: response.statusCode ?? 0, atMs: Date.now(), rateLimit }));
      response.once('error', reject);
    });
    request.once('timeout', () => request.destroy(new Error(`no response within ${requestLimitMs / 1000} seconds`)));
    request.once('error', reject);
    request.end(body);
  });
}

function targetOf(session: string, kind: number): [method: string, path: string] {
  if (kind === 0) return ['POST', '/v1/ingest'];
  return ['GET', `/v1/${kind === 1 ? 'state' : 'history'}?session_id=${session}`];
}

function readingOf(session: string): string {
  const heartRate = 60 + Math.floor(Math.random() * 40);
  return JSON.stringify({ session_id: session, timestamp: new Date().toISOString(), heart_rate: heartRate });
}
