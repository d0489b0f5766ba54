import { setTimeout as sleep } from 'node:timers/promises';
import { type Env, type Program, startProgram } from './program.js';

const readyMs = 60_000;
const logCharsMax = 5_000;

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
  readonly env: Env;
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
  let program: Program;
  const start = () => {
    isExpectedToEnd = false;
    program = startProgram({ args: ['dist/main.js', ...args], env, logCharsMax, onLog });
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
    close: async () => void (await stop('SIGTERM')),
  };
  return member;
}
