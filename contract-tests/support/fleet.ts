import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const endMs = 12_000;
const readyMs = 60_000;
const logLinesMax = 10;

export interface Fleet {
  /** Kills a running process with SIGKILL and restarts it. Resolves with the name of the process after it has ended. */
  killOne(random: () => number): Promise<string>;
  /** Resolves when all processes are running. */
  ready(): Promise<void>;
  /** Returns the processes that ended unexpectedly, with their last log lines. */
  deaths(): readonly string[];
  /** Ends all processes with SIGTERM. */
  close(): Promise<void>;
}

export interface ProcessOptions {
  readonly name: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Starts processes of the built service. Restarts a process whenever it is killed. `onLog` gets the text of their logs.
 */
export function startFleet(fleet: readonly ProcessOptions[], onLog: (text: string) => void = () => {}): Fleet {
  const deaths: string[] = [];
  const members = fleet.map((options) => supervise(options, (death) => deaths.push(death), onLog));
  return {
    async killOne(random) {
      const up = members.filter((it) => it.isReady());
      const victim = up[Math.floor(random() * up.length)] ?? (await Promise.race(members.map((it) => it.ready())));
      await victim.kill();
      return victim.name;
    },
    ready: async () => void (await Promise.all(members.map((it) => it.ready()))),
    deaths: () => deaths,
    close: async () => void (await Promise.all(members.map((it) => it.close()))),
  };
}

interface Member {
  readonly name: string;
  isReady(): boolean;
  ready(): Promise<Member>;
  kill(): Promise<void>;
  close(): Promise<void>;
}

function supervise(
  { name, args, env }: ProcessOptions,
  onDeath: (death: string) => void,
  onLog: (text: string) => void,
): Member {
  let isExpectedToEnd = false;
  let isReady = false;
  let child: ChildProcess;
  const log: string[] = [];
  const start = () => {
    isExpectedToEnd = false;
    child = spawn(process.execPath, ['dist/main.js', ...args], {
      cwd: root,
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout?.on('data', (text) => (isReady ||= /^(Listening|Delivering) /m.test(String(text))));
    child.stderr?.on('data', (text) => {
      log.splice(0, log.push(String(text)) - logLinesMax);
      onLog(String(text));
    });
    child.once('exit', (code, signal) => {
      isReady = false;
      if (isExpectedToEnd) return;
      onDeath(`${name} ended with ${code ?? signal}: ${log.join('').trim()}`);
      start();
    });
  };
  const endBy = async (signal: NodeJS.Signals) => {
    isExpectedToEnd = true;
    const timer = setTimeout(() => child.kill('SIGKILL'), endMs);
    const exited = once(child, 'exit');
    child.kill(signal);
    if (child.exitCode === null && child.signalCode === null) await exited;
    clearTimeout(timer);
  };
  start();
  process.once('exit', () => void child.kill('SIGKILL'));
  const member: Member = {
    name,
    isReady: () => isReady,
    async ready() {
      const endsAtMs = Date.now() + readyMs;
      while (!isReady && Date.now() < endsAtMs) await new Promise((resolve) => setTimeout(resolve, 20));
      if (!isReady) throw new Error(`${name} failed to start: ${log.join('').trim()}`);
      return member;
    },
    async kill() {
      await endBy('SIGKILL');
      start();
    },
    close: () => endBy('SIGTERM'),
  };
  return member;
}

/** Returns loopback ports that are currently free. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
