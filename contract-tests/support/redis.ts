import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { Redis } from 'ioredis';

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
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  const redis: PrivateRedis = {
    url,
    async start() {
      child = spawn('redis-server', [...argumentsFor(port), ...options], { stdio: 'ignore', cwd: tmpdir() });
      const failed = once(child, 'error').then(([error]) => Promise.reject(explain(error as Error)));
      await Promise.race([failed, answers(url)]);
      failed.catch(() => undefined);
    },
    async stop() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    connect: () => new Redis(url),
  };
  process.once('exit', () => void child?.kill('SIGKILL'));
  await redis.start();
  return redis;
}

function argumentsFor(port: number): string[] {
  return ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
}

function explain(error: Error): Error {
  const isMissing = (error as { code?: string }).code === 'ENOENT';
  return isMissing
    ? new Error('there is no redis-server: install Redis 7, as by `apt-get install redis-server`')
    : error;
}

async function answers(url: string): Promise<void> {
  const client = new Redis(url, { retryStrategy: () => 50, maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  const timeUp = AbortSignal.timeout(startMs);
  const late = once(timeUp, 'abort').then(() => Promise.reject(new Error(`no redis-server answers at ${url}`)));
  // A response that requires a password also shows that the server is running.
  await Promise.race([client.ping().catch(() => undefined), late]).finally(() => client.disconnect());
  late.catch(() => undefined);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
