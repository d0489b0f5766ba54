import { type Env, type ServiceProgram, withServicePrograms } from '../../../testkit/program.js';
import { startPrivateRedis } from '../../../testkit/redis.js';

/** The resources that several services share. */
export interface Stage {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly key: string;
}

/** Runs the work with this many services. */
export function withServices<T>(
  { databaseUrl, redisUrl }: Stage,
  settings: Env,
  count: number,
  work: (services: readonly ServiceProgram[]) => Promise<T>,
): Promise<T> {
  return withServicePrograms({ DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, ...settings }, count, work);
}

/** Runs the work with the Redis at REDIS_URL. Starts a temporary Redis if REDIS_URL is not set. */
export async function withRedis<T>(work: (url: string) => Promise<T>): Promise<T> {
  const given = process.env['REDIS_URL'];
  if (given) return work(given);
  const redis = await startPrivateRedis();
  return work(redis.url).finally(redis.stop);
}
