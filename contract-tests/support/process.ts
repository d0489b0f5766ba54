import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

const main = new URL('../../dist/main.js', import.meta.url).pathname;
const limitMs = 40_000;

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly url: string;
  /** Everything on standard output so far. */
  stdout(): string;
  stderr(): string;
  /** Sends the signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<Ended>;
}

/** Runs the command line to its end. */
export async function runMain(args: readonly string[], env: Record<string, string>, file = main): Promise<Ended> {
  const { child, ended } = launch(args, env, file);
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
  try {
    return await ended;
  } finally {
    clearTimeout(timer);
  }
}

/** Starts the service as a process of its own and waits for the line that names its URL. */
export async function startMain(env: Record<string, string>): Promise<Running> {
  const { child, ended, output } = launch([], { PORT: '0', ...env });
  onTestFinished(() => void child.kill('SIGKILL'));
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const found = /^Listening on (\S+)$/m.exec(output.stdout)?.[1];
      if (found) resolve(found);
    });
    ended.then(({ code, stderr }) => reject(new Error(`ended with ${code}: ${stderr}`)), reject);
  });
  return {
    url,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    end(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

function launch(args: readonly string[], env: Record<string, string>, file = main) {
  const child: ChildProcess = spawn(process.execPath, [file, ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout?.on('data', (text) => (output.stdout += text));
  child.stderr?.on('data', (text) => (output.stderr += text));
  const ended: Promise<Ended> = once(child, 'close').then(([code]) => ({ code, ...output }));
  return { child, ended, output };
}
