import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { settingsFor } from './databases.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const startMs = 20_000;
/** Timeout of the shutdown, ms. Longer than the service's own shutdown timeout. */
const endMs = 12_000;
const logLinesMax = 40;

type ServiceChild = ChildProcessByStdio<null, Readable, Readable>;

/** The built service as a separate process on a free loopback port. The port may change with every start. */
export interface ServiceProcess {
  readonly url: string;
  /** The newest log lines, for error messages. */
  readonly log: string;
  start(): Promise<void>;
  /** Sends SIGTERM. */
  terminate(): void;
  /** Resolves after a clean exit. Rejects after any other exit and at the timeout. */
  ended(): Promise<void>;
  /** Kills the process. */
  kill(): Promise<void>;
}

export function createServiceProcess(databaseUrl: string): ServiceProcess {
  const env = {
    HOST: '127.0.0.1',
    PORT: '0',
    ...settingsFor(databaseUrl),
    LOG_LEVEL: 'warn',
    WEBHOOK_ALLOW_LOOPBACK: '1',
    // The scenarios start more sessions per minute than the default limit allows for a key.
    LIMIT_NEW_SESSIONS_PER_MINUTE: '0',
  };
  const log: string[] = [];
  let child: ServiceChild | undefined;
  let isKilled = false;
  let url = '';
  return {
    get url() {
      return url;
    },
    get log() {
      return log.join('');
    },
    async start() {
      if (isKilled) throw new Error('the service was killed: it is not started again');
      child = run([], env);
      child.stderr.setEncoding('utf8').on('data', (text: string) => log.splice(0, log.push(text) - logLinesMax));
      url = await listeningUrl(child).catch((error: Error) => {
        throw new Error(`the service does not start: ${error.message}\n${log.join('')}`);
      });
    },
    terminate: () => void child?.kill('SIGTERM'),
    async ended() {
      if (!child) return;
      const code = await endOf(child);
      if (code !== 0) throw new Error(`the service ended with ${code}\n${log.join('')}`);
    },
    async kill() {
      isKilled = true;
      child?.kill('SIGKILL');
      if (child) await endOf(child);
    },
  };
}

/** Runs the service's command line to its end. Resolves with its output. */
export async function runCommand(databaseUrl: string, args: readonly string[]): Promise<string> {
  const child = run(args, settingsFor(databaseUrl));
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const [code] = await once(child, 'close', { signal: AbortSignal.timeout(startMs) }).finally(() =>
    child.kill('SIGKILL'),
  );
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${errors}`);
  return output.trim();
}

/**
 * Starts an ingest request without sending its body, so that the service has a request in flight. Resolves when the
 * service has received the headers. The returned function sends the body and resolves with the status.
 */
export async function beginIngest(url: string, key: string, body: string): Promise<() => Promise<number>> {
  const headers = {
    'X-Service-Key': key,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
  };
  const ingest = request(`${url}/v1/ingest`, {
    method: 'POST',
    agent: false,
    headers: { ...headers, Expect: '100-continue' },
  });
  // Ignores errors between the waits below, because an error without a listener would end the process.
  ingest.on('error', () => undefined);
  ingest.flushHeaders();
  await once(ingest, 'continue', { signal: AbortSignal.timeout(endMs) });
  return async () => {
    ingest.end(body);
    const [response] = await once(ingest, 'response', { signal: AbortSignal.timeout(endMs) });
    response.resume();
    return response.statusCode;
  };
}

function run(args: readonly string[], env: Readonly<Record<string, string>>): ServiceChild {
  const options = { cwd: root, env: { ...process.env, ...env } };
  return spawn(process.execPath, ['dist/main.js', ...args], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
}

function listeningUrl(child: ServiceChild): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('it is silent')), startMs);
    const settle = (act: () => void) => {
      clearTimeout(timer);
      act();
    };
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const [, url] = /^Listening on (http:\S+)$/m.exec(output) ?? [];
      if (url) settle(() => resolve(url));
    });
    child.once('error', (error) => settle(() => reject(error)));
    child.once('exit', (code) => settle(() => reject(new Error(`the service exited with ${code}`))));
  });
}

async function endOf(child: ServiceChild): Promise<number | string | null> {
  if (child.exitCode === null && child.signalCode === null)
    await once(child, 'exit', { signal: AbortSignal.timeout(endMs) });
  return child.exitCode ?? child.signalCode;
}
