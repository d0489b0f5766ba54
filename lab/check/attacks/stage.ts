import {
  createKeyOf,
  type Env,
  runCommand,
  type ServiceProgram,
  startServiceProgram,
} from '../../../testkit/program.js';
import { createTestDatabase, type DatabaseKind } from '../../../testkit/databases.js';
import { storyTime } from '../../../testkit/story.js';
import type { StateReading } from '../../../src/contract/contract.js';
import { createRequest, createWebhookClient, type Request, type WebhookClient } from '../shared/client.js';
import { draw, type Scene, scenes, seededRandom } from '../../../packages/tools/terminal/scenes.js';
import { settingsOf } from '../shared/processes.js';
import { createClock, type ServiceClock } from './clock.js';
import { type Neighbor, startNeighbor } from './neighbor.js';

/** One service with its own database, with a neighbor and two accounts for the attack. */
export interface Stage {
  readonly databaseUrl: string;
  /** Runs a command with the key of the service. Resolves with its output. */
  command(...args: readonly string[]): Promise<string>;
  readonly neighbor: Neighbor;
  readonly attacker: Caller;
  readonly accomplice: Caller;
  readonly clock: ServiceClock;
  service(): ServiceProgram;
  /** Stops the service and starts it again on the same database. By default, the stop is a graceful shutdown. */
  restart(changes?: RestartOptions): Promise<void>;
  /** Starts another service on the same database. Its clock is ahead. Rejects with its log if it does not start. */
  startOther(own: Env, aheadMs?: number): Promise<ServiceProgram>;
  /** Registers a cleanup function for the end of the stage. The functions run in reverse order. */
  defer(undo: () => unknown): void;
}

interface RestartOptions {
  readonly signal?: 'SIGTERM' | 'SIGKILL';
  /** Runs after the stop and before the start. */
  readonly between?: () => Promise<unknown>;
}

export interface StageOptions {
  readonly kind: DatabaseKind;
  readonly node: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly logFile?: string;
  /** URL of an existing database, which is not dropped when the stage closes. Absent: a new database. */
  readonly databaseUrl?: string;
  /** Host of the neighbor's receiver. Default: 127.0.0.1. */
  readonly neighborReceiverHost?: string;
  /** Grace period for the neighbor's webhooks after a phase, ms. Default: 15,000. */
  readonly settleMs?: number;
}

/** Client of an account. It uses the new URL after a service restarts on another port. */
export interface Caller {
  readonly key: string;
  readonly request: Request;
  readonly webhooks: WebhookClient;
  /**
   * Sends one reading, alternately calm and hostile. Every reading changes the state, except the first reading of a
   * session.
   */
  swing(sessionId: string, subjectId?: string): Promise<StateReading>;
}

/** Opens a stage. `defer` registers its cleanup, also if it fails to open. */
export async function openStage(options: StageOptions, defer: Stage['defer']): Promise<Stage> {
  const databaseUrl = options.databaseUrl ?? (await createDatabase(options.kind, defer));
  const shifted = createClock(defer);
  // With MySQL, the service judges readings by the time of the database server, whatever its own clock shows.
  const clock = options.kind === 'mysql' ? { ...shifted, now: Date.now } : shifted;
  const [neighborKey, attackerKey, accompliceKey] = [
    await createKeyOf(databaseUrl, 'neighbor'),
    await createKeyOf(databaseUrl, 'attacker'),
    await createKeyOf(databaseUrl, 'accomplice'),
  ];
  const env = { ...settingsOf(databaseUrl), ...clock.env, ...options.env };
  const { node, logFile } = options;
  const program = { node, nodeArgs: ['--import', clock.preload], ...(logFile !== undefined && { stderr: logFile }) };
  const start = (own: Env = {}) => startServiceProgram({ ...env, ...own }, program);
  let service = await start();
  defer(() => service.stop());
  const url = () => service.url;
  const { neighborReceiverHost: receiverHost = '127.0.0.1', settleMs = 15_000 } = options;
  const neighbor = await startNeighbor({ url, key: neighborKey, receiverHost, settleMs }, clock.now);
  defer(neighbor.close);
  return {
    ...{ databaseUrl, neighbor, clock, defer },
    attacker: createCaller(url, attackerKey, clock.now),
    accomplice: createCaller(url, accompliceKey, clock.now),
    service: () => service,
    command: (...args) => runCommand(databaseUrl, args, undefined, settingsOf(databaseUrl)),
    async startOther(own, aheadMs = 0) {
      const ahead = createClock(defer);
      await ahead.shift(aheadMs);
      const other = await start({ ...ahead.env, ...own });
      defer(() => other.stop());
      return other;
    },
    async restart({ signal = 'SIGTERM', between } = {}) {
      await service.stop(signal);
      await between?.();
      service = await start();
    },
  };
}

async function createDatabase(kind: DatabaseKind, defer: Stage['defer']): Promise<string> {
  const { url, drop } = await createTestDatabase(kind);
  defer(drop);
  return url;
}

function createCaller(url: () => string, key: string, now: () => number): Caller {
  const request: Request = (...args) => createRequest(url(), key)(...args);
  const random = seededRandom(1);
  const sent = new Map<string, { startedMs: number; count: number }>();
  return {
    key,
    request,
    webhooks: createWebhookClient(request),
    swing(session_id, subject_id) {
      const { startedMs, count } = sent.get(session_id) ?? { startedMs: now(), count: 0 };
      sent.set(session_id, { startedMs, count: count + 1 });
      const scene = (count % 2 === 0 ? scenes[0] : scenes.at(-1)) as Scene;
      return request('/v1/ingest', {
        session_id,
        ...(subject_id !== undefined && { subject_id }),
        timestamp: storyTime(startedMs, count),
        ...draw(scene, random),
      });
    },
  };
}
