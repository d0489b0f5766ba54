import { runMain, startMain } from '../../testkit/process.js';

export interface Send {
  (path: string, body?: unknown): Promise<{ status: number; body: ReturnType<JSON['parse']> }>;
}

/** Starts the service as a separate process, with a key of a new account. */
export async function startWithKey(env: Record<string, string>, key?: string) {
  const used =
    key ?? (await runMain(['keys', 'create', '--account', 'acme', '--tier', 'enterprise'], env)).stdout.trim();
  const service = await startMain(env);
  const headers = { 'X-Service-Key': used, 'Content-Type': 'application/json' };
  const send: Send = async (path, body) => {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const response = await fetch(service.url + path, { headers, ...init });
    return { status: response.status, body: await response.json() };
  };
  return { service, send, key: used };
}
