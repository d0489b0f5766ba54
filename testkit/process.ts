import { onTestFinished } from 'vitest';
import { settingsFor } from './databases.js';
import { type Ended, type Env, type Program, type ProgramOptions, startProgram } from './program.js';
import { ample } from './service.js';

export type { Ended };
const main = new URL('../dist/main.js', import.meta.url).pathname;
const limitMs = 120_000;

export interface Running extends Program {
  readonly url: string;
}

/** Starts a program that ends with the test at the latest. */
function start(options: ProgramOptions): Program {
  const program = startProgram(options);
  onTestFinished(() => program.signal('SIGKILL'));
  return program;
}

/** Runs the command line until it exits. */
export async function runMain(args: readonly string[], env: Env, file = main, cwd?: string): Promise<Ended> {
  const settings = { ...settingsFor(env['DATABASE_URL'] ?? ''), ...env };
  const program = startProgram({ args: [file, ...args], env: settings, ...(cwd !== undefined && { cwd }) });
  const timer = setTimeout(() => program.signal('SIGKILL'), limitMs);
  return program.ended.finally(() => clearTimeout(timer));
}

/** Starts the service as a separate process. Resolves when the process prints its URL. */
export async function startMain(env: Env): Promise<Running> {
  const settings = { ...settingsFor(env['DATABASE_URL'] ?? ''), PORT: '0', ...ample, ...env };
  const program = start({ args: [main], env: settings });
  return { ...program, url: await program.find(/^Listening on (\S+)$/m) };
}

/** Starts a process that only delivers webhooks. */
export async function startDeliver(env: Env): Promise<Program> {
  const program = start({ args: [main, 'deliver'], env: { ...settingsFor(env['DATABASE_URL'] ?? ''), ...env } });
  await program.find(/^(Delivering) webhooks$/m);
  return program;
}

/** Starts the script PATH.ts in one process, so that signals reach it. Uses the same loader as npm. */
export function startScript(path: string, args: readonly string[], env: Env = {}): Program {
  return start({ args: ['--import', 'tsx', `${path}.ts`, ...args], env });
}

/** Starts a command of the built program, e.g. `tools export`. */
export function startCommand(name: string, args: readonly string[], env: Env = {}): Program {
  return start({ args: [main, ...name.split(' '), ...args], env });
}

export function runScript(path: string, args: readonly string[], env?: Env): Promise<Ended> {
  return startScript(path, args, env).ended;
}

export function runCommand(name: string, args: readonly string[], env?: Env): Promise<Ended> {
  return startCommand(name, args, env).ended;
}
