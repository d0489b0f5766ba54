import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { settingsFor } from './databases.js';

const root = fileURLToPath(new URL('../', import.meta.url));
const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const findMs = 180_000;
/** Longest wait for the end of a program, ms. Longer than the service's own time limit for a shutdown. */
const endMs = 15_000;

export type Env = Readonly<Record<string, string>>;

export interface ProgramOptions {
  /** Path of the program, by default this Node. */
  readonly node?: string;
  readonly args: readonly string[];
  /** Environment in addition to PATH and TZ. */
  readonly env?: Env;
  /** Working directory, by default the root of the repository. */
  readonly cwd?: string;
  /** File for standard error. Absent: the output is kept. */
  readonly stderr?: string;
  /** Number of the last characters of standard error that are kept. Default: all. */
  readonly logCharsMax?: number;
  /** Receives the text of standard error. */
  readonly onLog?: (text: string) => void;
}

export interface Ended {
  /** Exit code. Null if a signal ended the program. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A separate process. It ends with this process at the latest. */
export interface Program {
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  isRunning(): boolean;
  readonly ended: Promise<Ended>;
  /** Resolves with the first group of the pattern when standard output matches it. Rejects if the program ends before. */
  find(pattern: RegExp): Promise<string>;
  /** Sends a signal without waiting. */
  signal(signal: NodeJS.Signals): void;
  /** Sends a signal, by default SIGTERM, and waits for the end. Sends SIGKILL if the program still runs after 15 s. */
  stop(signal?: NodeJS.Signals): Promise<Ended>;
}

const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

export function startProgram(options: ProgramOptions): Program {
  const { node = process.execPath, args, env, cwd = root, logCharsMax = Infinity, onLog } = options;
  const logTo = options.stderr === undefined ? 'pipe' : openSync(options.stderr, 'a');
  const child = spawn(node, args, {
    cwd,
    env: { PATH: process.env['PATH'], TZ: process.env['TZ'], ...env },
    stdio: ['ignore', 'pipe', logTo],
  });
  if (typeof logTo === 'number') closeSync(logTo);
  running.add(child);
  const output = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output.stderr = (output.stderr + text).slice(-logCharsMax);
    onLog?.(text);
  });
  const ended = once(child, 'close')
    .then(([code]): Ended => ({ code, ...output }))
    .finally(() => running.delete(child));
  // Reported by the caller that waits for the end.
  ended.catch(() => undefined);
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  return {
    pid: child.pid ?? 0,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    isRunning,
    ended,
    find: (pattern) => find(child, output, ended, pattern),
    signal: (signal) => void child.kill(signal),
    async stop(signal = 'SIGTERM') {
      const timer = setTimeout(() => child.kill('SIGKILL'), endMs);
      if (isRunning()) child.kill(signal);
      return ended.finally(() => clearTimeout(timer));
    },
  };
}

function find(
  { stdout }: ChildProcess,
  output: Readonly<Record<'stdout' | 'stderr', string>>,
  ended: Promise<Ended>,
  pattern: RegExp,
): Promise<string> {
  return new Promise<string>((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`${why}: ${output.stderr.trim()}`));
    const timer = setTimeout(() => fail(`standard output has no ${pattern} after ${findMs / 1000} s`), findMs);
    const look = () => {
      const found = pattern.exec(output.stdout);
      if (!found) return;
      stdout?.off('data', look);
      clearTimeout(timer);
      resolve(found[1] ?? '');
    };
    stdout?.on('data', look);
    look();
    const end = ({ code }: Ended) => fail(`the program ended with ${code} and without ${pattern}`);
    ended.then(end, reject).finally(() => clearTimeout(timer));
  });
}

/** The built service in a separate process. */
export interface ServiceProgram extends Program {
  readonly url: string;
}

export interface ServiceOptions extends Omit<ProgramOptions, 'args' | 'env'> {
  readonly nodeArgs?: readonly string[];
  /** The program, by default dist/main.js. */
  readonly file?: string;
  /** Arguments of the program. */
  readonly args?: readonly string[];
}

/** Starts the built service on a free loopback port. Resolves when it listens. `env` contains DATABASE_URL. */
export async function startServiceProgram(env: Env, options: ServiceOptions = {}): Promise<ServiceProgram> {
  const { nodeArgs = [], file = main, args = [], ...rest } = options;
  const settings = { HOST: '127.0.0.1', PORT: '0', ...settingsFor(env['DATABASE_URL'] ?? ''), ...env };
  const program = startProgram({ logCharsMax: 20_000, ...rest, args: [...nodeArgs, file, ...args], env: settings });
  const url = await program.find(/^Listening on (\S+)$/m).catch(async (error: Error) => {
    await program.stop('SIGKILL');
    throw new Error(`the service does not start: ${error.message}`);
  });
  return { ...program, url };
}

/** Runs the command line of the service, or of the program `file`, to its end. Resolves with its output. */
export async function runCommand(
  databaseUrl: string,
  args: readonly string[],
  file = main,
  env: Env = {},
): Promise<string> {
  const settings = { ...settingsFor(databaseUrl), ...env };
  const { code, stdout, stderr } = await startProgram({ args: [file, ...args], env: settings }).ended;
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`);
  return stdout.trim();
}

/** Creates a key of an account without a monthly limit. */
export function createKeyOf(databaseUrl: string, account: string, file?: string): Promise<string> {
  return runCommand(databaseUrl, ['keys', 'create', '--account', account, '--tier', 'enterprise'], file);
}

/** Starts services on one database one after another, runs the work and stops them. */
export async function withServicePrograms<T>(
  env: Env,
  count: number,
  work: (services: readonly ServiceProgram[]) => Promise<T>,
): Promise<T> {
  const services: ServiceProgram[] = [];
  try {
    while (services.length < count) services.push(await startServiceProgram(env));
    return await work(services);
  } finally {
    for (const service of services) await service.stop();
  }
}

/** Returns loopback ports that are currently free. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** Returns the number of open file descriptors of a process. NaN if the system does not report it. */
export function countDescriptors(pid: number | 'self'): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return Number.NaN;
  }
}

/** Unit of CPU time on Linux, ms: a hundredth of a second (USER_HZ). */
const tickMs = 10;

/** Returns the CPU time (ms) and the resident memory (MB) of a process. NaN on systems without /proc. */
export function readUsage(pid: number): { readonly cpuMs: number; readonly residentMb: number } {
  try {
    const fields = readStat(pid);
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return { cpuMs: sumCpu(fields, 11, 12), residentMb: (Number(kilobytes) * 1024) / 1e6 };
  } catch {
    return { cpuMs: Number.NaN, residentMb: Number.NaN };
  }
}

/** Returns the CPU time of this process and of its ended child processes, ms. NaN on systems without /proc. */
export function readCpuWithChildren(): number {
  try {
    return sumCpu(readStat('self'), 11, 12, 13, 14);
  } catch {
    return Number.NaN;
  }
}

/** Returns the fields after the name of the process, which may contain spaces. */
function readStat(pid: number | 'self'): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Fields 11 and 12 are the times of the process, 13 and 14 those of its ended children, in user and kernel mode. */
function sumCpu(fields: readonly string[], ...indices: readonly number[]): number {
  return tickMs * indices.reduce((sum, index) => sum + Number(fields[index]), 0);
}
