import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import mysql from 'mysql2/promise';
import { databaseFolder } from './databases.js';
import { owe } from './owed.js';
import { type Program, startProgram } from './program.js';

const startMs = 60_000;
const lookMs = 50;
const loggedMax = 5;

/** A MariaDB server for one test, on loopback, with its own data folder. */
export interface PrivateMariadb {
  /** URL of the server, in the format of TEST_MYSQL_URL. */
  readonly url: string;
  /** Process id. */
  pid(): number;
  start(): Promise<void>;
  /** Returns true if the process has ended, e.g. because the server aborted. */
  hasEnded(): boolean;
  /** Kills the server with SIGKILL. Data that was not handed to the kernel is lost. */
  kill(): Promise<void>;
  /** Stops the process. Connections then stay open without a response. */
  freeze(): void;
  thaw(): void;
  /** Stops the server and deletes its data. */
  remove(): Promise<void>;
}

/** Options of the server, or a function that returns them before each start. */
export type MariadbOptions = readonly string[] | ((dataFolder: string) => Promise<readonly string[]>);

/** Starts a server with MariaDB's default settings and a new data folder inside `parent`. The caller removes it. */
export async function startPrivateMariadb(
  port: number,
  options: MariadbOptions = [],
  parent = databaseFolder,
): Promise<PrivateMariadb> {
  const folder = await mkdtemp(join(parent, 'private-mariadb-'));
  const data = join(folder, 'data');
  const url = `mysql://root@127.0.0.1:${port}`;
  // A server deletes the temporary tables of all servers with the same folder when it starts.
  const common = [`--user=${userInfo().username}`, `--tmpdir=${folder}`];
  let server: Program | undefined;
  const mariadb: PrivateMariadb = {
    url,
    async start() {
      const address = [`--port=${port}`, '--bind-address=127.0.0.1', `--socket=${join(folder, 'socket')}`];
      const more = typeof options === 'function' ? await options(data) : options;
      // The server ignores every `--user` but the first.
      const args = ['--no-defaults', ...more, ...common, `--datadir=${data}`, ...address];
      server = startProgram({ node: 'mariadbd', args, logCharsMax: 1_000 });
      await answers(url, server).catch(async (error: Error) => {
        throw new Error(error.message + (await lastErrorsOf(`${data}.log`)), { cause: error });
      });
    },
    pid: () => server?.pid ?? 0,
    hasEnded: () => server?.isRunning() === false,
    kill: async () => void (await server?.stop('SIGKILL')),
    freeze: () => server?.signal('SIGSTOP'),
    thaw: () => server?.signal('SIGCONT'),
    remove: owe(async () => {
      await mariadb.kill();
      await rm(folder, { recursive: true, force: true });
    }),
  };
  try {
    const install = ['--no-defaults', ...common, `--datadir=${data}`, '--auth-root-authentication-method=normal'];
    await promisify(execFile)('mariadb-install-db', [...install, '--skip-test-db']).catch(explain);
    await mariadb.start();
    return mariadb;
  } catch (error) {
    await mariadb.remove();
    throw error;
  }
}

function explain(error: Error): never {
  const isMissing = (error as { code?: string }).code === 'ENOENT';
  throw isMissing
    ? new Error('there is no MariaDB server: install it, for example with `apt-get install mariadb-server`')
    : error;
}

/** Returns the last errors in the log. Empty if the options name no log there. */
async function lastErrorsOf(log: string): Promise<string> {
  const lines = (await readFile(log, 'utf8').catch(() => '')).split('\n').filter((line) => line.includes('ERROR'));
  return ['', ...lines.slice(-loggedMax)].join('\n');
}

async function answers(uri: string, server: Program): Promise<void> {
  const endsAtMs = Date.now() + startMs;
  for (;;)
    try {
      return await (await mysql.createConnection({ uri, connectTimeout: 1_000 })).end();
    } catch (error) {
      if (!server.isRunning() || Date.now() > endsAtMs)
        throw new Error(`MariaDB does not respond at ${uri}`, { cause: error });
      await sleep(lookMs);
    }
}
