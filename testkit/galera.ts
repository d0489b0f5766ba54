import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { userInfo } from 'node:os';
import { promisify } from 'node:util';
import mysql, { type RowDataPacket } from 'mysql2/promise';
import { freePorts } from './program.js';
import { startPrivateMariadb } from './mariadb.js';
import { owe } from './owed.js';

/** Where Debian's package galera-4 installs the library. */
const provider = '/usr/lib/galera/libgalera_smm.so';
/** The user of Debian's package, if this process runs as root. */
const serverUser = userInfo().uid === 0 ? 'mysql' : userInfo().username;
const syncedMs = 90_000;
const lookMs = 100;
/**
 * How soon the cluster excludes a node that does not respond. While it waits, no node commits. The default is 5 s. A
 * shorter `evs.inactive_timeout` made the other nodes of a busy machine exclude each other.
 */
const evictionOptions = [
  'evs.keepalive_period=PT0.5S',
  'evs.inactive_check_period=PT0.25S',
  'evs.suspect_timeout=PT2S',
];

export interface GaleraNode {
  /** e.g. `node 1`. */
  readonly name: string;
  /** Host and port. */
  readonly address: string;
  /** URL without a database. */
  readonly url: string;
  /** Kills the server with SIGKILL. */
  kill(): Promise<void>;
  /** Starts the killed server. Resolves when it has caught up with the cluster. */
  rejoin(): Promise<void>;
  /** Returns the values of the status variables whose names match the pattern (LIKE). */
  status(pattern: string): Promise<ReadonlyMap<string, string>>;
}

export interface GaleraCluster {
  readonly nodes: readonly GaleraNode[];
  /** Stops all nodes and deletes their data. */
  remove(): Promise<void>;
}

interface Ports {
  readonly sql: number;
  readonly group: number;
  readonly ist: number;
  readonly sst: number;
}

/** Starts a cluster of MariaDB servers on loopback. Requires Debian's packages mariadb-server, galera-4 and rsync. */
export async function startGalera(size: number): Promise<GaleraCluster> {
  if (!existsSync(provider))
    throw new Error(
      'there is no Galera library: install it, for example with `apt-get install mariadb-server galera-4 rsync`',
    );
  const numbers = await freePorts(4 * size);
  const ports = Array.from({ length: size }, (_, index): Ports => {
    const [sql = 0, group = 0, ist = 0, sst = 0] = numbers.slice(4 * index);
    return { sql, group, ist, sst };
  });
  const removals: Array<() => Promise<void>> = [];
  const remove = owe(async () => void (await Promise.all(removals.map((it) => it()))));
  try {
    const nodes: GaleraNode[] = [];
    for (const index of ports.keys()) nodes.push(await startNode(index, ports, removals));
    return { nodes, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function startNode(
  index: number,
  ports: readonly Ports[],
  removals: Array<() => Promise<void>>,
): Promise<GaleraNode> {
  const own = ports[index] as Ports;
  let isFirstStart = true;
  const server = await startPrivateMariadb(own.sql, async (dataFolder) => {
    await giveToServerUser(dirname(dataFolder));
    const options = optionsOf(index, own, ports);
    const founding = index === 0 ? ['--wsrep-new-cluster'] : [];
    const start = isFirstStart ? founding : [`--wsrep-start-position=${await positionOf(dataFolder, options)}`];
    isFirstStart = false;
    return [...options, ...start, `--log-error=${dataFolder}.log`];
  });
  removals.push(server.remove);
  const status: GaleraNode['status'] = async (pattern) => {
    const connection = await mysql.createConnection({ uri: server.url, connectTimeout: 1_000 });
    try {
      const [rows] = await connection.query<RowDataPacket[]>('show global status like ?', [pattern]);
      return new Map(rows.map((row) => [String(row['Variable_name']), String(row['Value'])]));
    } finally {
      connection.destroy();
    }
  };
  const synced = async () => {
    const endsAtMs = Date.now() + syncedMs;
    for (;;) {
      const state = (await status('wsrep_local_state_comment').catch(() => new Map())).get('wsrep_local_state_comment');
      if (state === 'Synced') return;
      if (Date.now() > endsAtMs)
        throw new Error(`node ${index + 1} has not joined the cluster: ${state ?? 'no response'}`);
      await sleep(lookMs);
    }
  };
  await synced();
  return {
    name: `node ${index + 1}`,
    address: `127.0.0.1:${own.sql}`,
    url: server.url,
    kill: server.kill,
    async rejoin() {
      await server.start();
      await synced();
    },
    status,
  };
}

function optionsOf(index: number, own: Ports, all: readonly Ports[]): string[] {
  const providerOptions = [
    `gmcast.listen_addr=tcp://127.0.0.1:${own.group}`,
    `ist.recv_addr=127.0.0.1:${own.ist}`,
    'gcache.size=128M',
    ...evictionOptions,
  ];
  return [
    '--wsrep-on=ON',
    `--wsrep-provider=${provider}`,
    '--wsrep-cluster-name=check',
    `--wsrep-cluster-address=gcomm://${all.map(({ group }) => `127.0.0.1:${group}`).join(',')}`,
    `--wsrep-node-name=node${index + 1}`,
    `--wsrep-node-address=127.0.0.1:${own.group}`,
    `--wsrep-provider-options=${providerOptions.join(';')}`,
    '--wsrep-sst-method=rsync',
    `--wsrep-sst-receive-address=127.0.0.1:${own.sst}`,
    `--user=${serverUser}`,
    '--binlog-format=ROW',
    '--innodb-autoinc-lock-mode=2',
    '--innodb-flush-log-at-trx-commit=1',
    '--innodb-buffer-pool-size=64M',
  ];
}

/** Gives the folder to the user `mysql` if this process runs as root: rsync does not write to a folder of root. */
async function giveToServerUser(folder: string): Promise<void> {
  if (userInfo().uid === 0) await promisify(execFile)('chown', ['-R', `${serverUser}:`, folder]);
}

/**
 * Returns the last transaction that a killed server has stored. With it, the server asks the cluster for the later
 * transactions only. Without it, the server would copy all data.
 */
async function positionOf(dataFolder: string, options: readonly string[]): Promise<string> {
  const recovery = ['--wsrep-recover', '--disable-log-error', '--skip-networking', `--socket=${dataFolder}.recovery`];
  const args = ['--no-defaults', ...options, `--datadir=${dataFolder}`, ...recovery];
  const { stderr, stdout } = await promisify(execFile)('mariadbd', args);
  const [, position] = /Recovered position:\s*(\S+)/.exec(stderr + stdout) ?? [];
  if (position === undefined) throw new Error(`mariadbd --wsrep-recover found no position in ${dataFolder}`);
  return position;
}
