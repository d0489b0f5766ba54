import { resolve } from 'node:path';
import { readTlsParameters } from '../config/mysql-tls.js';
import { mysqlUrls } from '../config/mysql-urls.js';

/** Commands that dump and load a MySQL database. The operator runs them, because they require programs of MySQL. */

export const mysqlKeyNote =
  'Run this command. It asks for the password, or reads it from MYSQL_PWD. On MariaDB, the programs are also named ' +
  'mariadb-dump and mariadb.\nKeep SECRETS_KEY too: the dump does not contain it, and without it the service ' +
  'does not start on the loaded database.';

/**
 * Returns the command for a consistent dump of a database in use. `--single-transaction` reads one snapshot without
 * locks, `--quick` reads row by row, and `--no-tablespaces` requires no global privilege.
 */
export function dumpCommand(url: string, file: string, checksum: string): string {
  const flags = ['--single-transaction', '--quick', '--skip-lock-tables', '--no-tablespaces', '--hex-blob'];
  const dump = ['mysqldump', ...connectionOf(url), ...flags, quote(`--result-file=${file}`), databaseOf(url)];
  return [...dump, '&& sha256sum <', quote(file), '>', quote(checksum)].join(' ');
}

/**
 * Returns the command that replaces the tables of the database with the tables of the dump. Loads nothing if the dump
 * does not match its checksum.
 */
export function loadCommand(url: string, file: string, checksum: string | undefined): string {
  const verify = checksum === undefined ? [] : ['sha256sum --quiet --check', quote(checksum), '<', quote(file), '&&'];
  return [...verify, 'mysql', ...connectionOf(url), databaseOf(url), '<', quote(file)].join(' ');
}

/** Uses the first of several hosts. */
function connectionOf(url: string): string[] {
  const { hostname, port, username } = firstOf(url);
  const host = decodeURIComponent(hostname).replace(/^\[(.*)\]$/, '$1');
  const names = [
    `--host=${host}`,
    `--port=${port || 3306}`,
    '--protocol=tcp',
    `--user=${decodeURIComponent(username)}`,
  ];
  return [...names.map(quote), ...readTls(url).map(quote), '--default-character-set=utf8mb4'];
}

/**
 * MySQL's programs know `--ssl-mode`, and MariaDB's `--ssl-verify-server-cert`. A program ignores an unknown option that
 * begins with `--loose-`. MariaDB's programs have no VERIFY_CA. They then verify the host name, too.
 */
function readTls(url: string): string[] {
  const parameters = readTlsParameters(firstOf(url));
  const { 'ssl-mode': mode, ...files } = parameters;
  if (mode === undefined) return [];
  const paths = Object.entries(files).map(([name, file]) => `--${name}=${resolve(file)}`);
  const verify = mode === 'REQUIRED' ? [] : ['--loose-ssl-verify-server-cert'];
  return [`--loose-ssl-mode=${mode}`, ...verify, ...paths];
}

function databaseOf(url: string): string {
  return quote(decodeURIComponent(firstOf(url).pathname.slice(1)));
}

function firstOf(url: string): URL {
  return new URL(mysqlUrls(url)[0] ?? url);
}

/** Quotes an argument for a POSIX shell if it requires quotes. */
function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
