import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Config } from '../../config/config.js';
import { readTlsParameters } from '../../config/mysql-url.js';
import { chooseMysqlUrl } from '../../store/mysql-pool.js';
import { withMysql } from './mysql-database.js';

/** Runs the programs of MySQL and MariaDB that dump and load a database. */

/** Only the last part of their errors is kept. */
const errorMax = 4_000;

/** A host of DATABASE_URL, and the names of the programs to use with it, by preference. */
export type MysqlServer = Awaited<ReturnType<typeof findServer>>;

interface MysqlProgram {
  readonly name: string;
  readonly isMariadb: boolean;
}

/** Returns the host that the service would choose. Rejects if none is usable. */
export async function findServer({ database, programPath: path }: Config) {
  if (database.kind !== 'mysql') throw new Error('DATABASE_URL must name a MySQL server');
  const url = await chooseMysqlUrl(database.url);
  const [[{ version }]] = await withMysql(url, (knex) => knex.raw('select version() as version'));
  const isMariadb = /mariadb/i.test(String(version));
  const prefer = (mariadb: string, mysql: string) => (isMariadb ? [mariadb, mysql] : [mysql, mariadb]);
  return { url, dumps: prefer('mariadb-dump', 'mysqldump'), clients: prefer('mariadb', 'mysql'), path };
}

/**
 * Starts a consistent dump of a database in use, on standard output. `--single-transaction` reads one snapshot without
 * locks, `--quick` reads row by row, and `--no-tablespaces` requires no global privilege. Two dumps of the same content
 * are equal, because rows are in the order of their keys and there are no comments.
 */
export async function startDump(server: MysqlServer) {
  const program = await findProgram(server.dumps);
  const flags = [
    ...['--single-transaction', '--quick', '--skip-lock-tables', '--no-tablespaces', '--hex-blob'],
    // The load then requires no right to lock tables.
    ...['--order-by-primary', '--skip-comments', '--skip-add-locks'],
    // The load would otherwise require a global privilege, or fail on a server of MariaDB.
    ...(program.isMariadb ? [] : ['--set-gtid-purged=OFF', '--column-statistics=0']),
  ];
  return start(program, server, flags);
}

/** Starts a program that runs the statements on its standard input. */
export async function startLoad(server: MysqlServer) {
  // With `--binary-mode`, no text in the dump is a command of the program.
  return start(await findProgram(server.clients), server, ['--binary-mode']);
}

async function findProgram(names: readonly string[]): Promise<MysqlProgram> {
  for (const name of names)
    try {
      const { stdout } = await promisify(execFile)(name, ['--version']);
      return { name, isMariadb: /mariadb/i.test(stdout) };
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'ENOENT') throw error;
    }
  throw new Error(
    `${names.join(' or ')} is required and not in PATH: install the client programs of the database server, ` +
      "e.g. Debian's package mariadb-client",
  );
}

/**
 * Starts a program on the database. The password is in its environment, which other users cannot read. Option files are
 * ignored, because they could contain another password or host. `ended` rejects if the program fails.
 */
function start(program: MysqlProgram, { url, path }: MysqlServer, flags: readonly string[]) {
  const { hostname, port, username, password, pathname } = new URL(url);
  const host = decodeURIComponent(hostname).replace(/^\[(.*)\]$/, '$1');
  const address = [
    `--host=${host}`,
    `--port=${port || 3306}`,
    '--protocol=tcp',
    `--user=${decodeURIComponent(username)}`,
  ];
  const args = ['--no-defaults', ...address, ...readTls(url, program), '--default-character-set=utf8mb4', ...flags];
  const child = spawn(program.name, [...args, decodeURIComponent(pathname.slice(1))], {
    env: { PATH: path, MYSQL_PWD: decodeURIComponent(password) },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-errorMax)));
  const ended = once(child, 'close').then(([code, signal]) => {
    if (code === 0) return;
    const reason = errors.trim().split('\n').at(-1) || `it ended with ${signal ?? code}`;
    throw new Error(`${program.name} failed: ${reason}`);
  });
  // The caller waits for it after the streams.
  ended.catch(() => undefined);
  return { stdin: child.stdin, stdout: child.stdout, ended, stop: () => void child.kill() };
}

/** MariaDB's programs have no VERIFY_CA. They then verify the host name, too. */
function readTls(url: string, { isMariadb }: MysqlProgram): string[] {
  const { 'ssl-mode': mode, ...files } = readTlsParameters(new URL(url));
  if (mode === undefined) return [];
  const paths = Object.entries(files).map(([name, file]) => `--${name}=${resolve(file)}`);
  if (!isMariadb) return [`--ssl-mode=${mode}`, ...paths];
  return ['--ssl', mode === 'REQUIRED' ? '--skip-ssl-verify-server-cert' : '--ssl-verify-server-cert', ...paths];
}
