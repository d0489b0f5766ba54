import { join } from 'node:path';
import type { Stage } from '../attacks/stage.js';
import { serverOf, setUpServer } from './database-server.js';
import type { Fault } from './fault.js';
import { mountSmallDisk, type SmallDisk } from './small-disk.js';

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
