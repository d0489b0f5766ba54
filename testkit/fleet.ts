import { setTimeout as sleep } from 'node:timers/promises';
import { type Env, type Program, startProgram } from './program.js';

const readyMs = 60_000;
const logCharsMax = 5_000;

export interface Fleet {
  /** Kills a running process with SIGKILL and restarts it. Resolves with the name of the process after it has ended. */
  killOne(random: () => number): Promise<string>;
  /** Ends the process at an index with SIGTERM and starts the program `file` in its place. Resolves when it is running. */
  replace(index: number, file: string): Promise<void>;
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
  readonly env: Env;
  /** The program, by default dist/main.js. */
  readonly file?: string;
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
    replace: async (index, file) => members[index]?.replace(file),
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
  replace(file: string): Promise<void>;
  close(): Promise<void>;
}

function supervise(
  { name, args, env, file = 'dist/main.js' }: ProcessOptions,
  onDeath: (death: string) => void,
  onLog: (text: string) => void,
): Member {
  let isExpectedToEnd = false;
  let running = file;
  let program: Program;
  const start = () => {
    isExpectedToEnd = false;
    program = startProgram({ args: [running, ...args], env, logCharsMax, onLog });
    void program.ended.then(({ code, stderr }) => {
      if (isExpectedToEnd) return;
      onDeath(`${name} ended with ${code ?? 'a signal'}: ${stderr.trim()}`);
      start();
    });
  };
  const stop = (signal: NodeJS.Signals) => {
    isExpectedToEnd = true;
    return program.stop(signal);
  };
  start();
  const member: Member = {
    name,
    isReady: () => program.isRunning() && /^(Listening|Delivering) /m.test(program.stdout()),
    async ready() {
      for (const endsAtMs = Date.now() + readyMs; !member.isReady(); await sleep(20))
        if (Date.now() > endsAtMs) throw new Error(`${name} failed to start: ${program.stderr().trim()}`);
      return member;
    },
    async kill() {
      await stop('SIGKILL');
      start();
    },
    async replace(next) {
      await stop('SIGTERM');
      running = next;
      start();
      await member.ready();
    },
    close: async () => void (await stop('SIGTERM')),
  };
  return member;
}
