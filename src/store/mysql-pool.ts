import { connect, type Socket } from 'node:net';
import knex, { type Knex } from 'knex';
import { listMysqlUrls, readMysqlTls } from '../config/mysql-url.js';
import { inspectHost, type HostFitness } from './inspect-host.js';
import { type Address, createMysqlHosts, type HostEvent, type MysqlHosts, describeHost } from './mysql-hosts.js';
import { idleSecondsMax } from './retry.js';
import { createMysqlClient } from './mysql-dialect.js';
import type { ServerFacts } from './server-facts.js';

/** How long one attempt waits in ms: for a connection, and for the response to a statement. */
const waitMs = { connect: 3_000, silence: 5_000 };
const lockSeconds = 2;
const connectionsMax = 10;

export interface MysqlOptions {
  /** Settings that the databases have in common. */
  readonly common: Knex.Config;
  /** False for migrations and commands, whose statements may run for minutes. */
  readonly isServing: boolean;
  readonly onHost: (event: HostEvent) => void;
}

interface MysqlConnection {
  readonly stream: Socket;
  readonly config: Partial<Address>;
  query(sql: string, done: (error: ServerError | null, results?: unknown) => void): void;
}

interface ServerError extends Error {
  readonly code?: string;
}

type Settings = ReturnType<typeof listSettings>;
type Settled = (error: Error | null, connection: unknown) => void;

/** Returns a Knex instance for the hosts of the URL. It connects when the first query runs. */
export function openMysql(url: string, { common, isServing, onHost }: MysqlOptions): Knex {
  const server: ServerFacts = { isGalera: false, endsIdleTransactions: true };
  const base = { ...common, client: createMysqlClient(), userParams: { server } };
  const pool = {
    min: 0,
    max: connectionsMax,
    afterCreate: (connection: MysqlConnection, done: Settled) => {
      settle(connection, server, isServing).then(
        () => done(null, connection),
        (error: Error) => done(error, connection),
      );
    },
  };
  const [first, ...others] = listMysqlUrls(url).map(listSettings);
  if (others.length === 0) return knex({ ...base, connection: first as Settings, pool });
  const hosts = createMysqlHosts({ addresses: [first as Settings, ...others], inspect: inspectHost, onEvent: onHost });
  const instance = knex({
    ...base,
    connection: async () => settingsOn(hosts, await hosts.choose()),
    // Drops the connections to a host that is no longer in use.
    pool: { ...pool, validate: (connection: MysqlConnection) => hosts.isCurrent(connection.config) },
  });
  instance.on('query-error', ({ code }: ServerError) => {
    if (faultsOfHost.has(code)) hosts.suspect();
  });
  return instance;
}

export function hasSeveralHosts(url: string): boolean {
  return listMysqlUrls(url).length > 1;
}

/**
 * Returns the URL of the host that a new pool would use. Rejects with NoUsableHostError if it cannot use any of several.
 */
export async function chooseMysqlUrl(url: string): Promise<string> {
  const urls = listMysqlUrls(url);
  if (urls.length === 1) return url;
  const addresses = urls.map(listSettings);
  const chosen = await createMysqlHosts({ addresses, inspect: inspectHost, onEvent: () => {} }).choose();
  return urls[addresses.indexOf(chosen)] as string;
}

/** Returns the standing of each host of the URL, in the same order. */
export function inspectHosts(url: string): Promise<Array<HostFitness & { readonly host: string }>> {
  const inspected = listMysqlUrls(url).map(listSettings);
  return Promise.all(inspected.map(async (it) => ({ host: describeHost(it), ...(await inspectHost(it)) })));
}

function listSettings(url: string) {
  const { hostname, port, username, password, pathname } = new URL(url);
  const ssl = readMysqlTls(new URL(url));
  return {
    ...(ssl && { ssl }),
    host: decodeURIComponent(hostname).replace(/^\[(.*)\]$/, '$1'),
    port: Number(port || 3306),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: decodeURIComponent(pathname.slice(1)),
    connectTimeout: waitMs.connect,
    charset: 'utf8mb4',
    // Safe, because the driver escapes all values, and the SQL mode below supports the driver's escaping.
    multipleStatements: true,
  };
}

/** Adds a socket that reports when it closes, also if the connection was never established. */
function settingsOn(hosts: MysqlHosts<Settings>, settings: Settings) {
  const { host, port } = settings;
  const stream = () =>
    connect({ host, port, noDelay: true, keepAlive: true }).once('close', () => hosts.suspect(settings));
  return { ...settings, stream, expirationChecker: hosts.isOutdated };
}

/** Errors of a server that has left its cluster or became read-only. Its connections stay open. */
const faultsOfHost: ReadonlySet<string | undefined> = new Set([
  // Galera: "WSREP has not yet prepared node for application use".
  'ER_UNKNOWN_COM_ERROR',
  'ER_ERROR_DURING_COMMIT',
  // Group replication.
  'ER_RUN_HOOK_ERROR',
  'ER_OPTION_PREVENTS_STATEMENT',
  'ER_READ_ONLY_MODE',
  'ER_SERVER_SHUTDOWN',
]);

/**
 * READ COMMITTED avoids gap locks, which would block new sessions. Strict mode rejects values that would otherwise be
 * truncated. Without the default of `sql_select_limit`, a server may cut results off. The lock wait timeout is short.
 */
const sessionSettings = [
  'set session transaction isolation level read committed',
  "set session sql_mode = 'STRICT_ALL_TABLES', collation_connection = 'utf8mb4_bin', sql_select_limit = 18446744073709551615",
  `set session lock_wait_timeout = ${lockSeconds}, innodb_lock_wait_timeout = ${lockSeconds}`,
];
/**
 * Galera: a transaction and a read outside of a transaction wait until this node has applied all earlier commits of the
 * cluster. Without it, a process that changes to another node could read rows from before its own commit.
 */
const galeraSettings = 'select @@global.wsrep_on as isGalera; set session wsrep_sync_wait = 1';

/**
 * MariaDB closes a connection whose transaction has been idle for this long. Otherwise, a process that is frozen or has
 * lost its network would hold its locks until TCP gives up, which can take hours.
 */
const idleSettings = `set session idle_transaction_timeout = ${idleSecondsMax}, idle_write_transaction_timeout = ${idleSecondsMax}`;

async function settle(connection: MysqlConnection, server: ServerFacts, isServing: boolean): Promise<void> {
  for (const sql of sessionSettings) await run(connection, sql);
  if (isServing) {
    connection.stream.setTimeout(waitMs.silence, () => connection.stream.destroy());
    server.endsIdleTransactions = (await runIfKnown(connection, idleSettings)) !== undefined;
  }
  const [rows] = ((await runIfKnown(connection, galeraSettings)) ?? []) as Array<Array<{ isGalera: number }>>;
  server.isGalera = rows?.[0]?.isGalera === 1;
}

function run(connection: MysqlConnection, sql: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    connection.query(sql, (error, results) => (error ? reject(error) : resolve(results)));
  });
}

/** Resolves with undefined if the server does not know a variable of the statement. */
async function runIfKnown(connection: MysqlConnection, sql: string): Promise<unknown> {
  try {
    return await run(connection, sql);
  } catch (error) {
    if ((error as ServerError).code === 'ER_UNKNOWN_SYSTEM_VARIABLE') return undefined;
    throw error;
  }
}
