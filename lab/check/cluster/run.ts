import { seededRandom } from '../../../packages/tools/terminal/scenes.js';
import { type GaleraNode, startGalera } from '../../../testkit/galera.js';
import { startPrivateRedis } from '../../../testkit/redis.js';
import { administer } from '../../bench/support/databases.js';
import { endure } from '../shared/endure.js';
import { changing } from '../shared/load.js';
import { killUnderLoad, type Member, withProcesses } from '../shared/processes.js';
import { countLost } from '../shared/verdict.js';
import { createReader } from './reader.js';
import { countConflicts, countDiffering, readCalls } from './tables.js';
import { startTimeline } from './timeline.js';
import { type ClusterRun, services } from './verdict.js';

export interface ClusterOptions {
  readonly kills: number;
  readonly sessions: number;
  readonly seed: number;
  /** Each process has the hosts in another order, so that all nodes write at the same time. */
  readonly spread?: boolean;
}

const size = 3;
const database = 'cluster';
const readingsBetween = 100;
/** Ranges of the interval between two readings of a session, and of the pause before a kill, ms. */
const [pauseMs, killPauseMs] = [[200, 600] as const, [500, 3_000] as const];
/** Maximum time to deliver all queued deliveries, ms. Longer than the lease of a killed worker. */
const drainMs = 180_000;

/** Starts the cluster and all processes, kills them at random under load, and measures what is left. */
export async function runCluster(options: ClusterOptions): Promise<ClusterRun> {
  const { nodes, remove } = await startGalera(size);
  try {
    const redis = await startPrivateRedis();
    try {
      await administer(nodes[0]?.url ?? '', `create database ${database}`);
      return await runOn(nodes, redis.url, options);
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

/** Returns two services and two workers. All use the same list of hosts, unless they are spread. */
function listMembers(nodes: readonly GaleraNode[], redisUrl: string, spread: boolean): Member[] {
  const names = ['service 1', 'service 2', 'worker 1', 'worker 2'];
  return names.map((name, index) => {
    const env = { REDIS_URL: redisUrl, WORKER: '0', DATABASE_URL: urlOf(nodes, spread ? index % size : 0) };
    return { name, env, ...(index >= services && { args: ['deliver'] }) };
  });
}

function runOn(nodes: readonly GaleraNode[], redisUrl: string, options: ClusterOptions): Promise<ClusterRun> {
  const { sessions, kills: planned, seed, spread = false } = options;
  const databaseUrl = urlOf(nodes);
  const random = seededRandom(seed);
  const members = listMembers(nodes, redisUrl, spread);
  let [hostChanges, conflicts, seconds, calls] = [0, 0, 0, 0];
  const onLog = (text: string) => void (hostChanges += text.split('"database host changed"').length - 1);
  return withProcesses({ databaseUrl, account: 'cluster', members, onLog }, ({ fleet, urls, key }) => {
    const timeline = startTimeline();
    const reader = createReader(urls, key, random);
    const startedAtMs = performance.now();
    const kills: Record<string, number> = {};
    let rejoining: Promise<void> = Promise.resolve();
    /** A node is killed only when all others are synced, because a cluster that loses its majority stops by design. */
    const killNode = async (node: GaleraNode) => {
      await rejoining;
      // Before the kill, because it resets the status of the node.
      conflicts += await countConflicts(node);
      await node.kill();
      rejoining = node.rejoin().then(() => timeline.mark('a node rejoined'));
      // A rejection is reported by the `await` of the next kill, or of the end.
      rejoining.catch(() => undefined);
      return node.name;
    };
    /** Kills a node or a process, all with the same probability. Processes are also killed while a node rejoins. */
    const kill = async () => {
      const node = nodes[Math.floor(random() * (size + members.length))];
      const name = await (node ? killNode(node) : fleet.killOne(random));
      timeline.mark(`the kill of a ${name.replace(/ \d+$/, '')}`);
      kills[name] = (kills[name] ?? 0) + 1;
    };
    return endure(
      {
        ...{ databaseUrl, urls: () => urls, key, random, isResent: true, pauseMs, drainMs },
        senders: Array.from({ length: sessions }, (_, index) => changing(`cluster-${index}`, random)),
        onResponse(reading, waitedMs) {
          timeline.record(waitedMs);
          reader.check(reading);
        },
        async disturb(load) {
          const title = 'nodes and processes';
          await killUnderLoad(load, { title, kills: planned, random, readingsBetween, pauseMs: killPauseMs }, kill);
          await rejoining;
          await load.acknowledges(readingsBetween);
          await fleet.ready();
        },
        async recover() {
          seconds = (performance.now() - startedAtMs) / 1000;
          console.error('checking readings, events and calls');
          // Reads in progress are calls too.
          await reader.stop();
          calls = await readCalls(databaseUrl);
        },
      },
      async (loaded, events) => {
        const reads = await reader.stop();
        for (const node of nodes) conflicts += await countConflicts(node);
        const lost = await Promise.all(urls.map((url) => countLost(url, key, loaded.sent)));
        const { acknowledged, failed } = loaded;
        return {
          ...{ kills, seconds, calls, reads, hostChanges, conflicts, events },
          readings: { acknowledged, failed },
          lost: Math.max(...lost),
          pauses: timeline.pauses(),
          deaths: fleet.deaths(),
          differingNodes: await countDiffering(nodes, database),
        };
      },
    );
  });
}
