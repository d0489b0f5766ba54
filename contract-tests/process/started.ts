import { untilClosed } from '../../testkit/command-line.js';
import { runMain, startMain } from '../../testkit/process.js';
import { Clock, startTestService } from '../../testkit/service.js';

export interface Send {
  (path: string, body?: unknown): Promise<{ status: number; body: ReturnType<JSON['parse']> }>;
}

/** Starts the service as a separate process, with a key of a new account. */
export async function startProcessWithKey(env: Record<string, string>, key?: string) {
  const used =
    key ?? (await runMain(['keys', 'create', '--account', 'acme', '--tier', 'enterprise'], env)).stdout.trim();
  const service = await startMain(env);
  return { service, send: createSend(service.url, used), key: used };
}

/**
 * Starts the service in this process, with the time of the machine like a command, and with a key of a new account. A
 * separate process takes a second of CPU time more.
 */
export async function startWithKey({ DATABASE_URL = '', ...env }: Record<string, string>, key?: string) {
  const clock = Object.assign(new Clock(), { now: Date.now });
  const database = { url: DATABASE_URL, drop: async () => undefined };
  const service = await startTestService({ database, env, clock });
  const used = key ?? service.key;
  const stop = () => service.close().then(() => untilClosed(DATABASE_URL));
  return { service: { url: service.url, stop }, send: createSend(service.url, used), key: used };
}

function createSend(url: string, key: string): Send {
  const headers = { 'X-Service-Key': key, 'Content-Type': 'application/json' };
  return async (path, body) => {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const response = await fetch(url + path, { headers, ...init });
    return { status: response.status, body: await response.json() };
  };
}
