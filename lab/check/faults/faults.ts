import { setTimeout as sleep } from 'node:timers/promises';
import { startPrivateRedis } from '../../../testkit/redis.js';
import { openKnex } from '../../bench/support/databases.js';
import type { Stage } from '../attacks/stage.js';
import type { ServiceProgram } from '../../../testkit/program.js';
import { databaseFrozen, databaseReadOnly, databaseStopped, diskFull } from './databases.js';
import type { Fault } from './fault.js';
import { createLimitedLog, fillLimitedLog, limitFileSize } from './full-log.js';

const hourMs = 3_600_000;
/** Maximum file size in bytes. So small that the next write to a write-ahead log exceeds it. */
const fileBytesMax = '4096';

/** Time between two kills, ms. Readings are acknowledged and webhooks are sent in this time. */
const betweenKillsMs = 1_000;

export function listFaults(kills: number): readonly Fault[] {
  return [
    {
      name: 'service-killed',
      title: `service killed ${kills} times with SIGKILL`,
      async begin({ restart }) {
        for (let count = 0; count < kills; count += 1) {
          await restart({ signal: 'SIGKILL' });
          await sleep(betweenKillsMs);
        }
      },
    },
    databaseStopped,
    databaseFrozen,
    databaseLocked,
    databaseReadOnly,
    ...diskFull,
    {
      name: 'file-limit',
      title: 'database files at their size limit (EFBIG)',
      databases: ['sqlite'],
      begin: ({ service }) => limitFileSize(service().pid, fileBytesMax),
      end: ({ service }) => limitFileSize(service().pid, 'unlimited'),
    },
    {
      name: 'log-full',
      title: 'log file at its size limit',
      setUp: (defer) => ({ logFile: createLimitedLog(defer), env: { LOG_LEVEL: 'info' } }),
      begin: ({ service }) => fillLimitedLog(service().pid),
    },
    {
      name: 'clock-back',
      title: 'clock set back one hour',
      // A request that is in transit when the clock is set back has a timestamp an hour ahead.
      excusedStatus: 400,
      begin: ({ clock }) => clock.shift(-hourMs),
    },
    {
      name: 'wrong-clock',
      title: 'clock of the process set an hour ahead of the database',
      databases: ['mysql'],
      begin: ({ clock }) => clock.shift(hourMs),
      end: ({ clock }) => clock.shift(-hourMs),
    },
    clockAhead,
    {
      name: 'wrong-key',
      title: 'starts with another SECRETS_KEY between a stop and a start',
      begin: (stage) => stage.restart({ between: () => requireRefusal(stage) }),
    },
    redisFrozen,
  ];
}

/** Rejects unless the service refuses to start because of its key. */
async function requireRefusal({ startOther }: Stage): Promise<void> {
  const outcome = await startOther({ SECRETS_KEY: 'wrong-wrong-wrong-wrong-wrong-wrong' }).then(
    () => 'started',
    (error: Error) => error.message,
  );
  if (!outcome.includes('SECRETS_KEY: no configured key is the key'))
    throw new Error(`a service with another key was not refused: ${outcome}`);
}

/** A second service, whose clock is two days ahead, purges once at its start. */
const clockAhead: Fault = {
  name: 'clock-ahead',
  title: 'second service whose clock is two days ahead',
  setUp() {
    let other: ServiceProgram | undefined;
    return {
      async begin({ startOther }) {
        other = await startOther({}, 48 * hourMs);
      },
      end: () => other?.stop(),
    };
  },
};

/** A process stops while it holds SQLite's write lock. This affects SQLite like a frozen server affects MySQL. */
const databaseLocked: Fault = {
  name: 'database-locked',
  title: "another process holds the database's write lock",
  databases: ['sqlite'],
  setUp() {
    let release: (() => Promise<unknown>) | undefined;
    return {
      async begin({ databaseUrl }) {
        const knex = openKnex(databaseUrl);
        const transaction = await knex.transaction();
        // Any write takes the lock. This write changes nothing.
        await transaction('webhooks').where({ webhook_id: '' }).delete();
        release = () => transaction.rollback().then(() => knex.destroy());
      },
      end: () => release?.(),
    };
  },
};

const redisFrozen: Fault = {
  name: 'redis-frozen',
  title: 'Redis frozen (SIGSTOP)',
  async setUp(defer) {
    const { url, stop, freeze, thaw } = await startPrivateRedis();
    defer(stop);
    return { env: { REDIS_URL: url }, begin: freeze, end: thaw };
  },
};
