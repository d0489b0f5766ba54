import mysql from 'mysql2/promise';
import { startProgress } from '../../../packages/tools/terminal/progress.js';
import { seededRandom } from '../../../packages/tools/terminal/scenes.js';
import { type ProcessOptions, startFleet } from '../../../testkit/fleet.js';
import { type GaleraNode, startGalera } from '../../../testkit/galera.js';
import { createKeyOf, freePorts } from '../../../testkit/program.js';
import { startPrivateRedis } from '../../../testkit/redis.js';
import { storyEnv } from '../../../testkit/story.js';
import { sumOf } from '../../../testkit/verdict.js';
import { ample } from '../../bench/support/service.js';
import { endure } from '../shared/endure.js';
import { changing, type Loaded } from '../shared/load.js';
import { countLost } from '../shared/verdict.js';
import { killAtRandom } from './kill-loop.js';
import { createReader, type Sent } from './reader.js';
import { countConflicts, countDiffering, readCalls } from './tables.js';
import { startTimeline } from './timeline.js';
import type { ClusterRun, Reads } from './verdict.js';

export interface ClusterOptions {
  readonly kills: number;
  readonly sessions: number;
  readonly seed: number;
  /** Each process has the hosts in another order, so that all nodes write at the same time. */
  readonly spread?: boolean;
}

const size = 3;
const services = 2;
const database = 'cluster';
/** Readings between two kills. */
const readingsBetween = 100;
/** Range of the interval between two readings of a session, ms. */
const pauseMs = [200, 600] as const;
/** Maximum time to deliver all queued deliveries, ms. Longer than the lease of a killed worker. */
const drainMs = 180_000;

interface Stage extends ClusterOptions {
  readonly nodes: readonly GaleraNode[];
  readonly databaseUrl: string;
  readonly redisUrl: string;
}

/** Starts the cluster and all processes, kills them at random under load, and measures what is left. */
export async function runCluster(options: ClusterOptions): Promise<ClusterRun> {
  const { nodes, remove } = await startGalera(size);
  try {
    const redis = await startPrivateRedis();
    try {
      const connection = await mysql.createConnection({ uri: nodes[0]?.url ?? '' });
      await connection.query(`create database ${database}`).finally(() => connection.end());
      return await runOn({ ...options, nodes, databaseUrl: urlOf(nodes), redisUrl: redis.url });
    } finally {
      await redis.stop();
    }
  } finally {
    await remove();
  }
}

/** Returns the value of DATABASE_URL that prefers the nodes in order, beginning with the one at `first`. */
function urlOf(nodes: readonly GaleraNode[], first = 0): string {
  const rotated = [...nodes.slice(first), ...nodes.slice(0, first)];
  return `mysql://root@${rotated.map(({ address }) => address).join(',')}/${database}`;
}

async function runOn(stage: Stage): Promise<ClusterRun> {
  const { databaseUrl, nodes, sessions, kills: planned, seed } = stage;
  const random = seededRandom(seed);
  const key = await createKeyOf(databaseUrl, 'cluster');
  const ports = await freePorts(services);
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  let hostChanges = 0;
  const fleetOptions = processesOf(stage, ports);
  const fleet = startFleet(fleetOptions, (text) => {
    hostChanges += text.split('"database host changed"').length - 1;
  });
  const progress = startProgress(process.stderr, planned, 'kills of nodes and processes');
  const timeline = startTimeline();
  const reader = createReader(urls, key, random);
  const kills: Record<string, number> = {};
  let [conflicts, seconds, counted] = [0, 0, 0];
  try {
    await fleet.ready();
    const startedAtMs = performance.now();
    return await endure(
      {
        ...{ databaseUrl, urls: () => urls, key, random, isResent: true, pauseMs, drainMs },
        senders: Array.from({ length: sessions }, (_, index) => changing(`cluster-${index}`, random)),
        onResponse(reading, waitedMs) {
          timeline.record(waitedMs);
          reader.check(reading);
        },
        disturb: (load) =>
          killAtRandom({
            ...{ nodes, fleet, processes: fleetOptions.length, kills: planned, random },
            underLoad: () => load.acknowledges(readingsBetween),
            beforeNode: async (node) => void (conflicts += await countConflicts(node)),
            onRejoin: () => timeline.mark('a node rejoined'),
            onKill(name) {
              timeline.mark(`the kill of a ${name.replace(/ \d+$/, '')}`);
              kills[name] = (kills[name] ?? 0) + 1;
              progress.advance();
            },
          }),
        async recover() {
          seconds = (performance.now() - startedAtMs) / 1000;
          progress.stop();
          console.error('checking readings, events and calls');
          // Reads in progress are calls too.
          await reader.stop();
          counted = await readCalls(databaseUrl);
        },
      },
      async (loaded, events) => {
        const reads = await reader.stop();
        for (const node of nodes) conflicts += await countConflicts(node);
        const pauses = timeline.pauses();
        const lost = await Promise.all(urls.map((url) => countLost(url, key, loaded.sent)));
        return {
          ...{ kills, seconds, pauses, reads, hostChanges, conflicts, deaths: fleet.deaths(), events },
          readings: { acknowledged: loaded.acknowledged, lost: Math.max(...lost) },
          calls: {
            counted,
            ...sentBy(loaded, reads),
            ...killedOf(kills),
            services,
            peakPerSecond: pauses.peakPerSecond,
          },
          errors: loaded.failed,
          differingNodes: await countDiffering(nodes, database),
        };
      },
    );
  } finally {
    progress.stop();
    for (const death of fleet.deaths()) console.error(death);
    await fleet.close();
  }
}

/** Returns two services and two workers. All use the same list of hosts, unless they are spread. */
function processesOf({ nodes, spread, redisUrl }: Stage, ports: readonly number[]): ProcessOptions[] {
  const env = {
    HOST: '127.0.0.1',
    REDIS_URL: redisUrl,
    LOG_LEVEL: 'warn',
    SECRETS_KEY: 'cluster-cluster-cluster-cluster-cluster',
    WEBHOOK_ALLOW_LOOPBACK: '1',
    WORKER: '0',
    ...ample,
    ...storyEnv,
  };
  const processes = [
    ...ports.map((port, index) => ({ name: `service ${index + 1}`, args: [], env: { ...env, PORT: String(port) } })),
    ...[1, 2].map((number) => ({ name: `worker ${number}`, args: ['deliver'], env })),
  ];
  return processes.map((it, index) => ({
    ...it,
    env: { ...it.env, DATABASE_URL: urlOf(nodes, spread ? index % nodes.length : 0) },
  }));
}

/** Counts the registration of the webhook and the reads too. */
function sentBy({ acknowledged, failed }: Loaded, { sent, answered }: Sent & Reads): Sent & { succeeded: number } {
  return { succeeded: acknowledged + 1 + answered, sent: acknowledged + 1 + sumOf(failed) + sent };
}

function killedOf(kills: Readonly<Record<string, number>>) {
  const sum = (kind: string) =>
    Object.entries(kills).reduce((total, [name, count]) => total + (name.startsWith(kind) ? count : 0), 0);
  return { killedServices: sum('service'), killedNodes: sum('node') };
}
