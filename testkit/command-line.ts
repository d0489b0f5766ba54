import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { formatWithOptions } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gatewayCommand, variableNames as gatewayVariables } from '../packages/gateway/command.js';
import { serveDemo } from '../packages/tools/serve-demo.js';
import { toolsCommand, variableNames as toolsVariables } from '../packages/tools/commands.js';
import { withProgress } from '../packages/tools/terminal/progress.js';
import { runCommand } from '../src/cli/command.js';
import { settingsFor } from './databases.js';
import type { Ended, Env } from './program.js';
import { root } from './service.js';
import { until } from './until.js';

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs the command line in this process, which takes a tenth of the CPU time of a separate process. The process's
 * output, arguments, variables and exit code are replaced meanwhile, so these runs take turns. Commands that run until a
 * signal require `runMain`.
 */
export function runHere(args: readonly string[], env: Env): Promise<Ended> {
  const run = last.then(() => captured(args, { ...settingsFor(env['DATABASE_URL'] ?? ''), ...env }));
  last = run.catch(() => undefined);
  return run;
}

async function captured(args: readonly string[], env: Env): Promise<Ended> {
  const url = env['DATABASE_URL'] ?? '';
  const isRestore = args[0] === 'restore';
  if (isRestore && countOpen(url) !== 0) await collect();
  // A test may hold the database open.
  const openBefore = countOpen(url);
  const output = { stdout: '', stderr: '' };
  let exited: Ended | undefined;
  const exit = (code = 0) => {
    exited = { code: Number(code), ...output };
    throw new Error('exit');
  };
  const restores = [
    replace(process.stdout, 'write', into(output, 'stdout')),
    replace(process.stderr, 'write', into(output, 'stderr')),
    replace(console, 'log', print(output, 'stdout')),
    replace(console, 'error', print(output, 'stderr')),
    replace(process, 'exit', exit as typeof process.exit),
    replace(process, 'argv', [process.execPath, new URL('dist/main.js', root).pathname, ...args]),
    replace(process, 'env', { PATH: process.env['PATH'], ...env }),
    replace(process, 'exitCode', undefined),
    ...['SIGINT', 'SIGTERM', 'warning', 'exit'].map((it) => keepListeners(process, it)),
    keepListeners(process.stdout, 'error'),
  ];
  try {
    await runCommand({
      program: new URL('src/program.ts', root),
      root,
      env,
      withProgress,
      packages: {
        commands: (host) => [gatewayCommand(host), toolsCommand(host)],
        variables: [...gatewayVariables, ...toolsVariables],
        serveDemo,
      },
    });
    return exited ?? { code: Number(process.exitCode ?? 0), ...output };
  } finally {
    for (const restore of restores) restore();
    if (isRestore) await untilClosed(url, openBefore);
  }
}

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

async function collect(): Promise<void> {
  collectGarbage();
  await setImmediate();
}

/**
 * Resolves when this process has the file of the database open at most this often. libsql keeps a closed database open
 * until its prepared statements are garbage-collected. One collection is not always enough, because a stack may still
 * hold a statement. Without a list of open files, as on macOS, collects once.
 */
export async function untilClosed(databaseUrl: string, openMax = 0): Promise<void> {
  if (countOpen(databaseUrl) <= openMax) return;
  await until(`${databaseUrl} is closed`, async () => {
    await collect();
    return !(countOpen(databaseUrl) > openMax);
  });
}

const descriptors = '/proc/self/fd';

/** Returns NaN if the system has no list of open files. */
function countOpen(databaseUrl: string): number {
  if (!existsSync(descriptors)) return Number.NaN;
  const file = databaseUrl.replace(/^sqlite:/, '');
  return readdirSync(descriptors).filter((it) => readLink(`${descriptors}/${it}`) === file).length;
}

/** The descriptor that lists the folder is closed before its link is read. */
function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

type Output = Pick<Ended, 'stdout' | 'stderr'>;

/** Sets a property. Returns a function that sets the earlier value. */
function replace<T, K extends keyof T>(target: T, name: K, value: T[K]): () => void {
  const earlier = target[name];
  target[name] = value;
  return () => void (target[name] = earlier);
}

/** Returns a function that sets the earlier listeners of an event. */
function keepListeners(emitter: NodeJS.EventEmitter, name: string): () => void {
  const earlier = emitter.rawListeners(name) as Array<() => void>;
  return () => {
    emitter.removeAllListeners(name);
    for (const it of earlier) emitter.on(name, it);
  };
}

function into(output: { -readonly [K in keyof Output]: string }, name: keyof Output): typeof process.stdout.write {
  return (text: string | Uint8Array, ...rest: unknown[]) => {
    output[name] += typeof text === 'string' ? text : Buffer.from(text).toString();
    const written = rest.at(-1);
    if (typeof written === 'function') written();
    return true;
  };
}

function print(output: { -readonly [K in keyof Output]: string }, name: keyof Output): typeof console.log {
  return (...values: unknown[]) => void (output[name] += `${formatWithOptions({ colors: false }, ...values)}\n`);
}
