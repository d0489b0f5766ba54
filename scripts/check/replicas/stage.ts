import { startPrivateRedis } from '../../../contract-tests/support/redis.js';
import { type BenchedService, startBenchedService } from '../../bench/support/service.js';

/** The resources that several services share. */
export interface Stage {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly key: string;
}

type Settings = Readonly<Record<string, string>>;

export async function withServices<T>(
  stage: Stage,
  settings: Settings,
  count: number,
  work: (urls: readonly string[]) => Promise<T>,
): Promise<T> {
  const services = await startServices(stage, settings, count);
  try {
    return await work(services.map(({ url }) => url));
  } finally {
    for (const service of services) await service.close();
  }
}

/** Starts the services one after another. If one service fails to start, the others end with this process. */
export async function startServices(
  { databaseUrl, redisUrl }: Stage,
  settings: Settings,
  count: number,
): Promise<BenchedService[]> {
  const services: BenchedService[] = [];
  while (services.length < count)
    services.push(await startBenchedService(databaseUrl, { REDIS_URL: redisUrl, ...settings }));
  return services;
}

/** Runs the work with the Redis at REDIS_URL. Starts a temporary Redis if REDIS_URL is not set. */
export async function withRedis<T>(work: (url: string) => Promise<T>): Promise<T> {
  const given = process.env['REDIS_URL'];
  if (given) return work(given);
  const redis = await startPrivateRedis();
  try {
    return await work(redis.url);
  } finally {
    await redis.stop();
  }
}
