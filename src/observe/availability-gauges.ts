import type { Registry } from 'prom-client';
import { readLastBackup } from './backup-status.js';
import { addGauge, type Figure } from './gauges.js';
import { inTime, probeMs } from './in-time.js';
import type { Standing } from './readiness.js';

export type AvailabilityGauges = ReturnType<typeof addAvailabilityGauges>;

/** Returns functions that add the gauges that remain while the database is unavailable. */
export function addAvailabilityGauges(registry: Registry) {
  const add = (name: string, help: string, read: Figure) => addGauge(registry, `state_service_${name}`, help, read);
  return {
    watchReadiness(check: () => Promise<Standing>) {
      add('database_up', '1 if the database responds, otherwise 0.', async () => Number((await check()).isUp));
      const writable = '1 if the database responds and accepts writes, otherwise 0.';
      add('database_writable', writable, async () => Number((await check()).isWritable));
      const ready = '1 if the readiness check succeeds, otherwise 0.';
      add('ready', ready, async () => Number((await check()).cause === undefined));
    },
    /** `lastPurgeAtMs` returns the time of the last complete purge, epoch ms. Undefined if no purge has started. */
    watchPurge(lastPurgeAtMs: () => Promise<number | undefined>) {
      const help = 'Unix time of the last complete purge of this process. 0 if none was complete.';
      add('last_purge_timestamp_seconds', help, async () => {
        const atMs = await lastPurgeAtMs();
        if (atMs === undefined) throw new Error('no purge has started');
        return atMs / 1000;
      });
    },
    /** `statusFile` is the file in which `backup` records the time of the last backup. */
    watchBackup(statusFile: string) {
      const help = 'Unix time of the last backup, from BACKUP_STATUS_FILE. 0 if there is none.';
      add('last_backup_timestamp_seconds', help, async () => ((await readLastBackup(statusFile)) ?? 0) / 1000);
    },
    /** `ping` rejects if Redis is unavailable. */
    watchRedis(ping: () => Promise<unknown>) {
      const read = () =>
        inTime(ping(), probeMs).then(
          () => 1,
          () => 0,
        );
      add('redis_up', '1 if Redis responds, otherwise 0. Absent without REDIS_URL.', read);
    },
  };
}
