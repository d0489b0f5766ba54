import { setTimeout as sleep } from 'node:timers/promises';
import type { GaleraNode } from '../../../testkit/galera.js';
import type { Fleet } from '../../../testkit/fleet.js';

export interface KillLoop {
  readonly nodes: readonly GaleraNode[];
  readonly fleet: Fleet;
  /** Number of processes in the fleet. A process is as likely to be killed as a node. */
  readonly processes: number;
  readonly kills: number;
  readonly random: () => number;
  /** Resolves after further readings are acknowledged, so that every kill happens under load. */
  readonly underLoad: () => Promise<void>;
  /** Called before a node is killed, because the kill resets the status of the node. */
  readonly beforeNode: (node: GaleraNode) => Promise<void>;
  readonly onKill: (name: string) => void;
  readonly onRejoin: () => void;
}

/** Range of the pause before a kill, ms. */
const pauseMs = [500, 3_000] as const;

/**
 * Kills random nodes and processes with SIGKILL. Processes are also killed while a node rejoins. A node is killed only
 * when all others are synced, because a cluster that loses its majority stops by design. Resolves when all have rejoined.
 */
export async function killAtRandom(options: KillLoop): Promise<void> {
  const { nodes, fleet, processes, kills, random, underLoad, onKill } = options;
  let rejoining: Promise<void> = Promise.resolve();
  for (let count = 0; count < kills; count += 1) {
    await underLoad();
    await sleep(pauseMs[0] + random() * (pauseMs[1] - pauseMs[0]));
    const drawn = Math.floor(random() * (nodes.length + processes));
    const node = nodes[drawn];
    if (node === undefined) onKill(await fleet.killOne(random));
    else {
      await rejoining;
      await options.beforeNode(node);
      await node.kill();
      onKill(node.name);
      rejoining = node.rejoin().then(options.onRejoin);
      // A rejection is reported by the `await` of the next kill, or of the end.
      rejoining.catch(() => undefined);
    }
  }
  await rejoining;
  await underLoad();
  await fleet.ready();
}
