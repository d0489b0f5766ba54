import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const startMs = 60_000;
/** Maximum wait for the end of the process, ms. Longer than the service's own time limit for a shutdown. */
const endMs = 15_000;
const logBytesMax = 20_000;

export interface ServiceOptions {
  /** Path of the Node program that runs the service. */
  readonly node: string;
  readonly env: Readonly<Record<string, string>>;
  /** A module that Node loads before the service. */
  readonly preload?: string;
  /** File for standard error. If absent, standard error is read and its last part is kept. */
  readonly logFile?: string;
}

export interface Ended {
  /** Exit code or signal of the process. */
  readonly by: number | string;
  readonly seconds: number;
}

/** The built service in a separate process. */
export interface AttackedService {
  readonly url: string;
  readonly metricsUrl: string;
  readonly pid: number;
  isRunning(): boolean;
  /** Returns the last part of the log. */
  log(): string;
  /** Sends a signal, by default SIGTERM. Sends SIGKILL if the process still runs after 15 s. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<Ended>;
}

/** Resolves when the service listens. Rejects with the last part of its log if the service does not start. */
export async function startService({ node, env, preload, logFile }: ServiceOptions): Promise<AttackedService> {
  const logTo = logFile === undefined ? 'pipe' : openSync(logFile, 'a');
  const args = [...(preload === undefined ? [] : ['--import', preload]), 'dist/main.js'];
  const child = spawn(node, args, {
    cwd: root,
    env: { PATH: process.env['PATH'], HOST: '127.0.0.1', PORT: '0', METRICS_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', logTo],
  });
  if (typeof logTo === 'number') closeSync(logTo);
  const killAtExit = () => void child.kill('SIGKILL');
  process.once('exit', killAtExit);
  child.once('exit', () => process.off('exit', killAtExit));
  let log = '';
  child.stderr?.on('data', (text) => (log = (log + String(text)).slice(-logBytesMax)));
  const { url, metricsUrl } = await findUrls(child).catch((error: Error) => {
    child.kill('SIGKILL');
    throw new Error(`the service does not start: ${error.message}\n${log}`);
  });
  return {
    ...{ url, metricsUrl, pid: child.pid ?? 0 },
    isRunning: () => !hasEnded(child),
    log: () => log,
    stop: (signal = 'SIGTERM') => end(child, signal),
  };
}

/** Returns the number of open file descriptors of a process. NaN if the system does not report it. */
export function countDescriptors(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return Number.NaN;
  }
}

/** Returns the resident memory of a process in MB. NaN if the system does not report it. */
export function residentMegabytes(pid: number): number {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) / 1024;
  } catch {
    return Number.NaN;
  }
}

function findUrls(child: ChildProcess): Promise<{ url: string; metricsUrl: string }> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no URL on standard output after ${startMs / 1000} s`)), startMs);
    let output = '';
    child.stdout?.on('data', (text) => {
      output += String(text);
      const [, url] = /^Listening on (\S+)$/m.exec(output) ?? [];
      const [, metricsUrl] = /^Metrics on (\S+)$/m.exec(output) ?? [];
      if (!url || !metricsUrl) return;
      clearTimeout(timer);
      resolve({ url, metricsUrl });
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => reject(new Error(`exited with ${code ?? signal}`)));
  });
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<Ended> {
  const startedAt = performance.now();
  if (!hasEnded(child)) {
    const exited = once(child, 'exit');
    const timer = setTimeout(() => child.kill('SIGKILL'), endMs);
    child.kill(signal);
    await exited;
    clearTimeout(timer);
  }
  return { by: child.exitCode ?? child.signalCode ?? '', seconds: (performance.now() - startedAt) / 1000 };
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
