import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPrivateMariadb } from '../../../testkit/mariadb.js';
import { owe } from '../../../testkit/owed.js';
import { freePorts } from '../../../testkit/program.js';
import { until } from '../../../testkit/until.js';
import { administer } from '../../bench/support/databases.js';
import type { Stage } from '../attacks/stage.js';
import type { Fault } from './fault.js';

const database = 'faults';

/** Starts a MariaDB server for one stage. The fault may stop and freeze it. */
async function startServer(defer: Stage['defer'], options: readonly string[] = [], folder?: string) {
  const [port = 0] = await freePorts(1);
  const server = await startPrivateMariadb(port, options, folder);
  defer(server.remove);
  await administer(server.url, `create database ${database}`);
  return { server, databaseUrl: `${server.url}/${database}` };
}

export const databaseStopped: Fault = {
  name: 'database-stopped',
  title: 'database server killed, started again after the fault',
  databases: ['mysql'],
  async setUp(defer) {
    const { server, databaseUrl } = await startServer(defer);
    return { databaseUrl, begin: server.kill, end: server.start };
  },
};

export const databaseFrozen: Fault = {
  name: 'database-frozen',
  title: 'database server frozen (SIGSTOP)',
  databases: ['mysql'],
  async setUp(defer) {
    const { server, databaseUrl } = await startServer(defer);
    return { databaseUrl, begin: server.freeze, end: server.thaw };
  },
};

/** `read_only` applies to accounts that lack the privilege to write nevertheless. */
export const databaseReadOnly: Fault = {
  name: 'database-read-only',
  title: 'database server read-only',
  databases: ['mysql'],
  async setUp(defer) {
    const { server, databaseUrl } = await startServer(defer);
    const user = 'plain';
    await administer(databaseUrl, `create user ${user} identified by 'pw'; grant all on ${database}.* to ${user}`);
    const plain = Object.assign(new URL(databaseUrl), { username: user, password: 'pw' });
    return {
      databaseUrl: plain.href,
      begin: () => administer(server.url, 'set global read_only = 1'),
      async end(stage) {
        const isReady = async () => (await fetch(`${stage.service().url}/readyz`)).ok;
        await until('the service is not ready', async () => !(await isReady()));
        await administer(server.url, 'set global read_only = 0');
        await until('the service is ready again', isReady);
      },
    };
  },
};

const sqliteMegabytes = 32;
const mariadbMegabytes = 256;
/** Server options for small log files, so that the small disk has enough space until the fault. */
const smallFiles = ['--innodb-log-file-size=16M', '--innodb-temp-data-file-path=ibtmp1:12M:autoextend'];

export const diskFull: readonly Fault[] = [
  {
    name: 'disk-full',
    title: 'disk of the database full (ENOSPC)',
    databases: ['sqlite'],
    setUp(defer) {
      const { folder, fill, free } = mountSmallDisk(sqliteMegabytes, defer);
      return { databaseUrl: `sqlite:${join(folder, 'state.db')}`, begin: fill, end: free };
    },
  },
  {
    name: 'disk-full',
    title: 'disk of the database server full',
    databases: ['mysql'],
    async setUp(defer) {
      const { folder, fill, free } = mountSmallDisk(mariadbMegabytes, defer);
      const { server, databaseUrl } = await startServer(defer, smallFiles, folder);
      // MariaDB aborts if it cannot extend its undo log. The check then restarts it, as a supervisor would.
      const end = async () => {
        free();
        if (!server.hasEnded()) return;
        console.error('  MariaDB aborted during the fault and is started again');
        await server.start();
      };
      return { databaseUrl, begin: fill, end };
    },
  },
];

/** Mounts a tmpfs, which requires root. `fill` fills it completely, and `free` deletes what `fill` has written. */
function mountSmallDisk(megabytes: number, defer: Stage['defer']) {
  const folder = mkdtempSync(join(tmpdir(), 'small-disk-'));
  const filler = join(folder, 'filler');
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=777`, 'tmpfs', folder]);
  const remove = owe(async () => {
    execFileSync('umount', ['--lazy', folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  defer(remove);
  return {
    folder,
    // Ends with an error when the disk is full.
    fill: () => spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=64K']),
    free: () => rmSync(filler, { force: true }),
  };
}
