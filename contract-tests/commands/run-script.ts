import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningScript {
  readonly ended: Promise<Ended>;
  /** Resolves when standard output contains the text. */
  shows(text: string): Promise<void>;
  /** Resolves with the first group of the pattern when standard output matches the pattern. */
  finds(pattern: RegExp): Promise<string>;
  interrupt(): void;
}

/** Starts scripts/<name>.ts in one process, so that signals reach it. Uses the same loader as npm. */
export function startScript(name: string, args: readonly string[], env?: Record<string, string>): RunningScript {
  return start(['--import', 'tsx', `scripts/${name}.ts`, ...args], env);
}

/** Starts a command of the built program. */
export function startCommand(name: string, args: readonly string[], env?: Record<string, string>): RunningScript {
  return start(['dist/main.js', name, ...args], env);
}

function start(args: readonly string[], env: Record<string, string> = {}): RunningScript {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (text) => (output.stdout += text));
  child.stderr.on('data', (text) => (output.stderr += text));
  const ended = once(child, 'close').then(([code]) => ({ code, ...output }));
  const finds = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(output.stdout);
        if (found) resolve(found[1] ?? '');
      };
      look();
      child.stdout.on('data', look);
      ended.then(({ stderr }) => reject(new Error(`ended without ${pattern}: ${stderr}`)), reject);
    });
  return {
    ended,
    shows: async (text) => void (await finds(new RegExp(text.replace(/[^\w\s]/g, '\\$&')))),
    finds,
    interrupt: () => void child.kill('SIGINT'),
  };
}

export function runScript(name: string, args: readonly string[], env?: Record<string, string>): Promise<Ended> {
  return startScript(name, args, env).ended;
}

export function runCommand(name: string, args: readonly string[], env?: Record<string, string>): Promise<Ended> {
  return startCommand(name, args, env).ended;
}
