import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { settingsFor } from './databases.js';
import { ample } from './service.js';

const main = new URL('../../dist/main.js', import.meta.url).pathname;
const limitMs = 40_000;

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly url: string;
  readonly pid: number;
  /** Returns the standard output so far. */
  stdout(): string;
  stderr(): string;
  /** Sends the signal and waits for the exit. */
  end(signal: NodeJS.Signals): Promise<Ended>;
}

/** A process without a URL. */
export type RunningWorker = Omit<Running, 'url'>;

/** Runs the command line until it exits. */
export async function runMain(
  args: readonly string[],
  env: Record<string, string>,
  file = main,
  cwd = '.',
): Promise<Ended> {
  const { child, ended } = launch(args, env, file, cwd);
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
  try {
    return await ended;
  } finally {
    clearTimeout(timer);
  }
}

/** Starts the service as a separate process. Resolves when the process prints its URL. */
export async function startMain(env: Record<string, string>): Promise<Running> {
  const { running, found } = await startUntil([], { PORT: '0', ...ample, ...env }, /^Listening on (\S+)$/m);
  return { url: found, ...running };
}

/** Starts a process that only delivers webhooks. */
export async function startDeliver(env: Record<string, string>): Promise<RunningWorker> {
  return (await startUntil(['deliver'], env, /^(Delivering) webhooks$/m)).running;
}

/** Waits for a matching line on standard output. Returns the captured groups. */
async function startUntil(
  args: readonly string[],
  env: Record<string, string>,
  line: RegExp,
): Promise<{ running: RunningWorker; found: string }> {
  const { child, ended, output } = launch(args, env);
  onTestFinished(() => void child.kill('SIGKILL'));
  const found = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const match = line.exec(output.stdout)?.[1];
      if (match) resolve(match);
    });
    ended.then(({ code, stderr }) => reject(new Error(`ended with ${code}: ${stderr}`)), reject);
  });
  const running = {
    pid: child.pid ?? 0,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    end(signal: NodeJS.Signals) {
      child.kill(signal);
      return ended;
    },
  };
  return { running, found };
}

function launch(args: readonly string[], env: Record<string, string>, file = main, cwd = '.') {
  const child: ChildProcess = spawn(process.execPath, [file, ...args], {
    env: { PATH: process.env['PATH'], ...settingsFor(env['DATABASE_URL'] ?? ''), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd,
  });
  const output = { stdout: '', stderr: '' };
  child.stdout?.on('data', (text) => (output.stdout += text));
  child.stderr?.on('data', (text) => (output.stderr += text));
  const ended: Promise<Ended> = once(child, 'close').then(([code]) => ({ code, ...output }));
  return { child, ended, output };
}
