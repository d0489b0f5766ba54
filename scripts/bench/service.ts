import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface BenchedService {
  readonly url: string;
  close(): Promise<void>;
}

/** The built service in a process of its own, as it is deployed; it logs every request, to nowhere. */
export async function startBenchedService(databaseUrl: string): Promise<BenchedService> {
  const env = { ...process.env, HOST: '127.0.0.1', PORT: '0', DATABASE_URL: databaseUrl, LOG_LEVEL: 'info' };
  const child = spawn(process.execPath, ['dist/main.js'], { cwd: root, env, stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(child, 'exit');
  const silent = ended.then(() => Promise.reject(new Error('the service does not start: see npm start')));
  const [line] = (await Promise.race([once(child.stdout.setEncoding('utf8'), 'data'), silent])) as [string];
  silent.catch(() => undefined);
  return {
    url: /http:\S+/.exec(line)?.[0] ?? '',
    async close() {
      child.kill();
      await ended;
    },
  };
}
