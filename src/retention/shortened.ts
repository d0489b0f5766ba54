import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { type Config, type RetentionTimes, withDefaultHours } from '../config/config.js';
import { formatCommandLine } from '../contract/command-line.js';
import { countExpired, type ExpiredCount } from '../store/count-expired.js';
import { findKeptHours } from '../store/keys.js';
import type { Store } from '../store/store.js';
import { defaultHours } from '../store/tables/usage.js';
import { hourMs, planPurge } from './purge-edges.js';

/**
 * How often the readings are counted while a shorter retention waits for a confirmation, in ms. Counting reads them all.
 */
const recountMs = hourMs;

/** Returns true if a purge would delete more than half of all readings. */
export function isLargePurge({ stored, expired }: Pick<ExpiredCount, 'stored' | 'expired'>): boolean {
  return expired * 2 > stored;
}

/** Returns the configuration with the retention in force: that of variables, otherwise the default of the database. */
export async function withStoredRetention(store: Store, config: Config): Promise<Config> {
  return withDefaultHours(config, await store.use(createAppliedRetention).findDefault());
}

/** Stores the retention of readings that this process applies. Confirms a shorter one. */
export function applyRetention(store: Store, { readingsMs }: RetentionTimes): Promise<void> {
  return store.use(createAppliedRetention).set(toHours(readingsMs));
}

/**
 * Returns a function that returns the retention to apply at a time (epoch ms, undefined if the time is uncertain).
 *
 * A mistake in RETENTION_READINGS_HOURS would delete most readings within seconds. If it is shorter than before and would
 * delete more than half of all readings, the earlier retention therefore stays until the operator confirms the change.
 */
export function createConfirmedRetention(
  store: Store,
  times: RetentionTimes,
  log: Logger,
): (nowMs: number | undefined) => Promise<RetentionTimes> {
  const hours = toHours(times.readingsMs);
  let countAgainAtMs = Number.NEGATIVE_INFINITY;

  async function isSmallPurge(nowMs: number | undefined, earlierHours: number): Promise<boolean> {
    if (nowMs === undefined || performance.now() < countAgainAtMs) return false;
    countAgainAtMs = performance.now() + recountMs;
    // Accounts with a time of their own keep it.
    const keptHours = await store.run(findKeptHours);
    const readings = planPurge(times, nowMs, keptHours).edges.get('session_readings');
    const [count] = await store.run((knex) => countExpired(knex, readings ? [readings] : []));
    if (count === undefined || !isLargePurge(count)) return true;
    const { stored, expired } = count;
    log.warn(
      { stored, expired, earlierHours, hours },
      `RETENTION_READINGS_HOURS=${hours} would delete ${expired} of ${stored} readings, so the earlier ${earlierHours} ` +
        `hours apply. To delete them, run: ${formatCommandLine('purge', '--confirm')}. To keep them, restore the earlier value`,
    );
    return false;
  }

  return async (nowMs) => {
    const earlierHours = (await store.use(createAppliedRetention).find()) ?? 0;
    if (earlierHours === hours) return times;
    if (earlierHours < hours || (await isSmallPurge(nowMs, earlierHours))) {
      await applyRetention(store, times);
      return times;
    }
    const readingsMs = earlierHours * hourMs;
    return { ...times, readingsMs, idleSessionsMs: Math.max(times.idleSessionsMs, readingsMs) };
  };
}

function toHours(ms: number): number {
  return Math.ceil(ms / hourMs);
}

const name = 'readings_hours';

/** The retention of readings that the last purge applied, which all processes of a database share. */
export function createAppliedRetention(knex: Knex) {
  return {
    /** Returns the number of hours. Undefined before the first purge. */
    async find(): Promise<number | undefined> {
      return (await knex('applied_retention').where({ name }).first('value'))?.value;
    },
    /** Returns the default of the database in hours. Undefined if 1.0.0 created it. */
    async findDefault(): Promise<number | undefined> {
      return (await knex('applied_retention').where({ name: defaultHours }).first('value'))?.value;
    },
    async set(hours: number): Promise<void> {
      await knex('applied_retention').insert({ name, value: hours }).onConflict('name').merge();
    },
  };
}
