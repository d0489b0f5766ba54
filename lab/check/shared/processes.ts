import { setTimeout as sleep } from 'node:timers/promises';
import { withProgress } from '../../../packages/tools/terminal/progress.js';
import { settingsFor } from '../../../testkit/databases.js';
import { type Fleet, type ProcessOptions, startFleet } from '../../../testkit/fleet.js';
import { createKeyOf, type Env, freePorts } from '../../../testkit/program.js';
import { storyEnv } from '../../../testkit/story.js';
import { ample } from '../../bench/support/service.js';
import type { Load } from './load.js';

export const secretsKey = 'checks-checks-checks-checks-checks-checks';

/** Returns the settings of a process that accepts the readings of `changing` and delivers to receivers on loopback. */
export function settingsOf(databaseUrl: string): Env {
  const own = { SECRETS_KEY: secretsKey, WEBHOOK_ALLOW_LOOPBACK: '1', HOST: '127.0.0.1', LOG_LEVEL: 'warn' };
  return { ...settingsFor(databaseUrl), ...ample, ...storyEnv, ...own };
}

/** A service, or a worker, which has the argument `deliver`. */
export type Member = Pick<ProcessOptions, 'name'> & Partial<ProcessOptions>;

interface Options {
  readonly databaseUrl: string;
  /** Name of an account. */
  readonly account: string;
  readonly members: readonly Member[];
  /** The program of all processes, by default dist/main.js. */
  readonly file?: string | undefined;
  readonly onLog?: (text: string) => void;
}

export interface Processes {
  readonly fleet: Fleet;
  /** URLs of the services. */
  readonly urls: readonly string[];
  /** A key of the account. */
  readonly key: string;
}

/** Starts processes on one database and runs the work. Prints which processes ended unexpectedly. */
export async function withProcesses<T>(
  { databaseUrl, account, members, file, onLog }: Options,
  work: (processes: Processes) => Promise<T>,
): Promise<T> {
  const key = await createKeyOf(databaseUrl, account, file);
  const services = members.filter(({ args }) => args === undefined);
  const ports = await freePorts(services.length);
  const toProcess = (member: Member): ProcessOptions => {
    const port = ports[services.indexOf(member)];
    const env = { ...settingsOf(databaseUrl), ...(port !== undefined && { PORT: String(port) }), ...member.env };
    return { ...(file !== undefined && { file }), args: [], ...member, env };
  };
  const fleet = startFleet(members.map(toProcess), onLog);
  try {
    await fleet.ready();
    return await work({ fleet, urls: ports.map((port) => `http://127.0.0.1:${port}`), key });
  } finally {
    for (const death of fleet.deaths()) console.error(death);
    await fleet.close();
  }
}

interface Kills {
  readonly title: string;
  readonly kills: number;
  readonly random: () => number;
  /** Number of readings that are acknowledged between two kills, so that every kill happens under load. */
  readonly readingsBetween: number;
  /** Range of the pause before a kill, ms. */
  readonly pauseMs: readonly [min: number, max: number];
}

/** Kills again and again, each time after further readings are acknowledged. */
export async function killUnderLoad(load: Load, options: Kills, kill: () => Promise<unknown>): Promise<void> {
  const { title, kills, random, readingsBetween, pauseMs } = options;
  await withProgress(kills, `kills, ${title}`, async ({ advance }) => {
    for (let count = 0; count < kills; count += 1, advance()) {
      await load.acknowledges(readingsBetween);
      await sleep(pauseMs[0] + random() * (pauseMs[1] - pauseMs[0]));
      await kill();
    }
  });
  await load.acknowledges(readingsBetween);
}
