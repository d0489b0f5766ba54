import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { Redis } from 'ioredis';
import { freePorts, type Program, startProgram } from './program.js';

const startMs = 10_000;

/** A Redis server for one test, on loopback, without persistence. */
export interface PrivateRedis {
  readonly url: string;
  start(): Promise<void>;
  /** Kills the server. It contains no data after the next start. */
  stop(): Promise<void>;
  /** Stops the process. Connections then stay open without a response. */
  freeze(): void;
  thaw(): void;
  /** Returns a client, with which a test inspects the data. */
  connect(): Redis;
}

/** Starts the server. The caller must stop it. */
export async function startPrivateRedis(options: readonly string[] = []): Promise<PrivateRedis> {
  const [port = 0] = await freePorts(1);
  const url = `redis://127.0.0.1:${port}`;
  let server: Program | undefined;
  const redis: PrivateRedis = {
    url,
    async start() {
      const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', ...options];
      server = startProgram({ node: 'redis-server', args, cwd: tmpdir() });
      const failed = server.ended.then(
        ({ stdout }) => Promise.reject(new Error(`redis-server ended: ${stdout}`)),
        (error: Error) => Promise.reject(explain(error)),
      );
      await Promise.race([failed, answers(url)]);
      failed.catch(() => undefined);
    },
    stop: async () => void (await server?.stop('SIGKILL')),
    freeze: () => server?.signal('SIGSTOP'),
    thaw: () => server?.signal('SIGCONT'),
    connect: () => new Redis(url),
  };
  await redis.start();
  return redis;
}

function explain(error: Error): Error {
  const isMissing = (error as { code?: string }).code === 'ENOENT';
  return isMissing
    ? new Error('there is no redis-server: install Redis 7, for example with `apt-get install redis-server`')
    : error;
}

async function answers(url: string): Promise<void> {
  const client = new Redis(url, { retryStrategy: () => 50, maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  const timeUp = AbortSignal.timeout(startMs);
  const late = once(timeUp, 'abort').then(() => Promise.reject(new Error(`redis-server does not respond at ${url}`)));
  // A response that requires a password also shows that the server is running.
  await Promise.race([client.ping().catch(() => undefined), late]).finally(() => client.disconnect());
  late.catch(() => undefined);
}
