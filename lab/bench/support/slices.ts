import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { Pool } from 'undici';
import { createKeyOf, type ServiceProgram } from '../../../testkit/program.js';
import { headersOf } from '../../check/shared/client.js';
import { createRequests, type Load } from './requests.js';
import { startBenchedService, startOptions } from './service.js';

/** CPU time per request by thread, µs. */
export interface Cpu {
  /** The main thread. */
  readonly http: number;
  /** The busiest other thread. */
  readonly core: number;
  /** All other threads: compiler, garbage collector and thread pool. */
  readonly others: number;
  /** The process of the database server. 0 for SQLite, which runs on the core thread. */
  readonly database: number;
}

/** The rows of a table of CPU time. */
export const threads: Readonly<Record<string, (cpu: Cpu) => number>> = {
  HTTP: ({ http }) => http,
  core: ({ core }) => core,
  others: ({ others }) => others,
  database: ({ database }) => database,
  all: ({ http, core, others, database }) => http + core + others + database,
};

/** A server under load. */
export interface Sliced {
  /** Sends requests and returns the CPU time that each of them used. Rejects if a response has no status 2xx. */
  run(load: Load, requests: number): Promise<Cpu>;
  stop(): Promise<void>;
}

const atOnce = 64;

/** Opens a server for slices. `databasePid` is the process of its database server. */
export async function openSliced(program: ServiceProgram, key: string, databasePid?: number): Promise<Sliced> {
  const next = createRequests();
  const pool = new Pool(program.url, { connections: atOnce });
  const headers = headersOf(key);
  return {
    async run(load, requests) {
      let left = requests;
      const send = async () => {
        while (left-- > 0) {
          const { statusCode, body } = await pool.request({ ...next[load](), headers });
          const text = await body.text();
          if (statusCode >= 300) throw new Error(`a request got status ${statusCode}: ${text}`);
        }
      };
      const before = [program.pid, databasePid].map(readThreads);
      await Promise.all(Array.from({ length: atOnce }, send));
      const [own, database] = [program.pid, databasePid].map((pid, index) => {
        const spent = [...readThreads(pid)].map(([thread, ns]) => [thread, ns - (before[index]?.get(thread) ?? 0)]);
        return new Map(spent as Array<[number, number]>);
      });
      const http = own?.get(program.pid) ?? 0;
      const rest = sum(own) - http;
      own?.delete(program.pid);
      const core = Math.max(0, ...(own?.values() ?? []));
      const toMicros = (ns: number) => ns / requests / 1000;
      return {
        http: toMicros(http),
        core: toMicros(core),
        others: toMicros(rest - core),
        database: toMicros(sum(database)),
      };
    },
    async stop() {
      await pool.destroy();
      await program.stop();
    },
  };
}

/**
 * Starts the service of a tree, which is built, with the options of `npm start`, and creates its key. The options keep the
 * garbage collection of a thread on this thread.
 */
export async function openService(main: string, databaseUrl: string, databasePid?: number): Promise<Sliced> {
  const key = await createKeyOf(databaseUrl, 'bench', main);
  const service = await startBenchedService(databaseUrl, {}, { file: main, nodeArgs: startOptions });
  return openSliced(service, key, databasePid);
}

/** Returns the CPU time of each thread of a process since its start, ns. Empty without a process. */
function readThreads(pid?: number): Map<number, number> {
  const threads = pid === undefined ? [] : readdirSync(`/proc/${pid}/task`).map(Number);
  const times = threads.flatMap((thread): Array<[number, number]> => {
    const file = `/proc/${pid}/task/${thread}/schedstat`;
    // A thread may have ended in the meantime.
    return existsSync(file) ? [[thread, Number(readFileSync(file, 'utf8').split(' ')[0])]] : [];
  });
  return new Map(times);
}

function sum(spent: ReadonlyMap<number, number> = new Map()): number {
  return [...spent.values()].reduce((total, ns) => total + ns, 0);
}
