import { runHere, untilClosed } from '../../testkit/command-line.js';
import { startMain } from '../../testkit/process.js';
import { client, realTime, startTestService } from '../../testkit/service.js';

/** Starts the service as a separate process, with a key of a new account. */
export async function startProcessWithKey(env: Record<string, string>, key?: string) {
  const create = ['keys', 'create', '--account', 'acme', '--tier', 'enterprise'];
  const used = key ?? (await runHere(create, env)).stdout.trim();
  await untilClosed(env['DATABASE_URL'] ?? '');
  const service = await startMain(env);
  return { service, key: used, ...client(service.url, used, realTime()) };
}

/**
 * Starts the service in this process, with the time of the machine like a command, and with a key of a new account. A
 * separate process takes a second of CPU time more.
 */
export async function startWithKey({ DATABASE_URL = '', ...env }: Record<string, string>, key?: string) {
  const clock = realTime();
  const database = { url: DATABASE_URL, drop: async () => undefined };
  const service = await startTestService({ database, env, clock });
  const used = key ?? service.key;
  const stop = () => service.close().then(() => untilClosed(DATABASE_URL));
  return { service: { url: service.url, stop }, key: used, ...client(service.url, used, clock) };
}
