import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { settingsFor } from '../../../contract-tests/support/databases.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

export interface BenchedService {
  readonly url: string;
  readonly pid: number;
  /** Ends the process with SIGTERM. */
  close(): Promise<void>;
}

/** Limits so high that no request reaches them. They are enabled, as in a deployment. */
export const ample = { LIMIT_SESSION_REQUESTS_PER_MINUTE: '1000000000', LIMIT_NEW_SESSIONS_PER_MINUTE: '1000000000' };

/** Starts the built service as a separate process, in the same way as a deployment. It logs every request. */
export function startBenchedService(
  databaseUrl: string,
  limits: Readonly<Record<string, string>> = ample,
): Promise<BenchedService> {
  const env = { HOST: '127.0.0.1', PORT: '0', ...settingsFor(databaseUrl), LOG_LEVEL: 'info', ...limits };
  return startListener('dist/main.js', env);
}

/** Starts a program and waits until it prints its URL. Its log is read and discarded. */
export async function startListener(
  file: string,
  env: Readonly<Record<string, string>>,
  options: readonly string[] = [],
): Promise<BenchedService> {
  const child = spawn(process.execPath, [...options, file], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = once(child, 'exit').finally(() => process.off('exit', kill));
  child.stderr.resume();
  const silent = ended.then(() =>
    Promise.reject(new Error(`${file} failed to start: run it directly to see the error`)),
  );
  const [line] = (await Promise.race([once(child.stdout.setEncoding('utf8'), 'data'), silent])) as [string];
  silent.catch(() => undefined);
  return {
    url: /http:\S+/.exec(line)?.[0] ?? '',
    pid: child.pid ?? 0,
    async close() {
      child.kill();
      await ended;
    },
  };
}
