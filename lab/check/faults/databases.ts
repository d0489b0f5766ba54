import mysql from 'mysql2/promise';
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PrivateMariadb, startPrivateMariadb } from '../../../testkit/mariadb.js';
import { owe } from '../../../testkit/owed.js';
import { freePorts } from '../../../testkit/program.js';
import { until } from '../../../testkit/until.js';
import { type Scenario } from '../attacks/scenario.js';
import { type Stage } from '../attacks/stage.js';
import { type Fault } from './fault.js';

const database = 'faults';

/** The database server of each stage, by the URL of its database. */
const servers = new Map<string, PrivateMariadb>();

/** Starts a MariaDB server for one stage. The fault may stop and freeze it. */
export function setUpServer(options: readonly string[] = [], folder?: string): NonNullable<Scenario['setUp']> {
  return async (defer) => {
    const [port = 0] = await freePorts(1);
    const server = await startPrivateMariadb(port, options, folder);
    defer(server.remove);
    await administer(server.url, `create database ${database}`);
    const databaseUrl = `${server.url}/${database}`;
    servers.set(databaseUrl, server);
    return { databaseUrl };
  };
}

export function serverOf({ databaseUrl }: Stage): PrivateMariadb {
  const server = servers.get(databaseUrl);
  if (!server) throw new Error(`no server was started for ${databaseUrl}`);
  return server;
}

/** A file system of a few megabytes in memory. */
interface SmallDisk {
  readonly folder: string;
  /** Fills the disk completely. */
  fill(): void;
  /** Deletes the files of `fill`. */
  free(): void;
  remove(): Promise<void>;
}

const blockBytes = 65_536;

/** Mounts a tmpfs, which requires root. */
function mountSmallDisk(megabytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'small-disk-'));
  const filler = join(folder, 'filler');
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=777`, 'tmpfs', folder]);
  return {
    folder,
    fill: () => fillUp(filler),
    free: () => rmSync(filler, { force: true }),
    remove: owe(async () => {
      execFileSync('umount', ['--lazy', folder]);
      rmSync(folder, { recursive: true, force: true });
    }),
  };
}

/** Writes blocks, then single bytes, until the disk is full. */
function fillUp(path: string): void {
  const file = openSync(path, 'a');
  try {
    for (let bytes = blockBytes; bytes >= 1;)
      try {
        if (writeSync(file, Buffer.alloc(bytes)) < bytes) bytes = Math.floor(bytes / 2);
      } catch (error) {
        if ((error as { code?: string }).code !== 'ENOSPC') throw error;
        bytes = Math.floor(bytes / 2);
      }
  } finally {
    closeSync(file);
  }
}

/** `read_only` applies to accounts that lack the privilege to write nevertheless. */
export const databaseReadOnly: Fault = {
  name: 'database-read-only',
  title: 'database server read-only',
  databases: ['mysql'],
  async setUp(defer) {
    const { databaseUrl = '' } = (await setUpServer()(defer)) ?? {};
    const user = 'plain';
    await administer(databaseUrl, `create user ${user} identified by 'pw'; grant all on ${database}.* to ${user}`);
    const plain = new URL(databaseUrl);
    Object.assign(plain, { username: user, password: 'pw' });
    servers.set(plain.href, servers.get(databaseUrl) as PrivateMariadb);
    return { databaseUrl: plain.href };
  },
  begin: (stage) => administer(serverOf(stage).url, 'set global read_only = 1'),
  async end(stage) {
    const isReady = async () => (await fetch(`${stage.service().url}/readyz`)).ok;
    await until('the service is not ready', async () => !(await isReady()));
    await administer(serverOf(stage).url, 'set global read_only = 0');
    await until('the service is ready again', isReady);
  },
};

async function administer(uri: string, sql: string): Promise<void> {
  const connection = await mysql.createConnection({ uri, multipleStatements: true });
  await connection.query(sql).finally(() => connection.end());
}

const sqliteMegabytes = 32;
const mariadbMegabytes = 256;
/** Server options for small log files, so that the small disk has enough space until the fault. */
const smallFiles = ['--innodb-log-file-size=16M', '--innodb-temp-data-file-path=ibtmp1:12M:autoextend'];

let disk: SmallDisk | undefined;

const fillsDisk = {
  name: 'disk-full',
  begin: () => disk?.fill(),
  end: () => disk?.free(),
};

export const diskFull: readonly Fault[] = [
  {
    ...fillsDisk,
    title: 'disk of the database full (ENOSPC)',
    databases: ['sqlite'],
    setUp(defer) {
      disk = mount(sqliteMegabytes, defer);
      return { databaseUrl: `sqlite:${join(disk.folder, 'state.db')}` };
    },
  },
  {
    ...fillsDisk,
    title: 'disk of the database server full',
    databases: ['mysql'],
    // MariaDB aborts if it cannot extend its undo log. The check then restarts it, as a supervisor would.
    async end(stage) {
      disk?.free();
      if (!serverOf(stage).hasEnded()) return;
      console.error('  MariaDB aborted during the fault and is started again');
      await serverOf(stage).start();
    },
    setUp(defer) {
      disk = mount(mariadbMegabytes, defer);
      return setUpServer(smallFiles, disk.folder)(defer);
    },
  },
];

function mount(megabytes: number, defer: Stage['defer']): SmallDisk {
  const mounted = mountSmallDisk(megabytes);
  defer(mounted.remove);
  return mounted;
}
