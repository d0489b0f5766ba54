import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { operations } from '../../generated/api.js';
import type { OperationId } from '../../src/contract/contract.js';
import { beginIngest } from '../../testkit/open-request.js';
import { createFailedDelivery, createWebhook, reading } from './data.js';
import type { Transaction } from './dredd.js';
import type { Defer } from './run-dredd.js';
import type { World } from './world.js';

const closingMs = 5_000;

/** Context of a scenario: Dredd's default request, with a valid key if the operation requires one. */
export interface Stage {
  readonly world: World;
  readonly transaction: Transaction;
  readonly defer: Defer;
}

export type Scenario = (stage: Stage) => Promise<unknown>;

/** Scenarios that do not depend on the operation. */
export const commonScenarios = { 431: withLongHeader };

/**
 * Scenarios of each operation, one per documented status that has no common scenario. If a scenario is missing, the file
 * does not compile.
 */
export type Scenarios = {
  readonly [Op in OperationId]: {
    readonly [Status in Exclude<keyof operations[Op]['responses'], keyof typeof commonScenarios>]: Scenario;
  };
};

export async function asDocumented(): Promise<void> {}

export async function withoutKey({ transaction }: Stage): Promise<void> {
  delete transaction.request.headers['X-Service-Key'];
}

export async function withUnknownKey({ transaction }: Stage): Promise<void> {
  transaction.request.headers['X-Service-Key'] = `sk_${'0'.repeat(32)}`;
}

/** Sends a key without the scope that the operation requires. */
export async function withoutScope({ world, transaction }: Stage): Promise<void> {
  const isIngest = new URL(transaction.fullPath, 'http://any').pathname.startsWith('/v1/ingest');
  transaction.request.headers['X-Service-Key'] = isIngest ? world.readKey : world.ingestKey;
}

export async function withSpentKey({ world, transaction }: Stage): Promise<void> {
  transaction.request.headers['X-Service-Key'] = world.spentKey;
}

export async function asText({ transaction }: Stage): Promise<void> {
  transaction.request.headers['Content-Type'] = 'text/plain';
}

export function sendText(body: string): Scenario {
  return async ({ transaction }) => void (transaction.request.body = body);
}

/** Returns a scenario with a key that the service has not looked up before. */
export function withNewKey(scenario: Scenario): Scenario {
  return async (stage) => {
    stage.transaction.request.headers['X-Service-Key'] = `sk_${randomBytes(16).toString('hex')}`;
    await scenario(stage);
  };
}

export function send(body: object): Scenario {
  return sendText(JSON.stringify(body));
}

export function atPath(path: string): Scenario {
  return async ({ transaction }) => void (transaction.fullPath = path);
}

/** Creates a resource in the service. Returns its id. */
type Create = (world: World) => Promise<string>;

/** Returns the id of no resource. */
async function createId(): Promise<string> {
  return randomUUID();
}

/** Names a session in the query: one of `create`, or an unknown one. */
export function ofSession(create: Create = createId): Scenario {
  return async ({ world, transaction }) => setQuery(transaction, 'session_id', await create(world));
}

export function ofSubjectInQuery(create: Create = createId): Scenario {
  return async ({ world, transaction }) => setQuery(transaction, 'subject_id', await create(world));
}

export function ofSubject(create: Create = createId): Scenario {
  return ofResource('subjects', create);
}

export function ofWebhook(create: Create = createWebhook): Scenario {
  return ofResource('webhooks', create);
}

/** Names the webhook of a failed delivery in the query. */
export async function ofFailedDelivery({ world, transaction, defer }: Stage): Promise<void> {
  setQuery(transaction, 'webhook_id', (await createFailedDelivery(world, defer)).webhook_id);
}

/** Replaces the id after the collection in the path. */
function ofResource(collection: string, create: Create): Scenario {
  const id = new RegExp(`(?<=/${collection}/)[^/]+`);
  return async ({ world, transaction }) => {
    transaction.fullPath = transaction.fullPath.replace(id, await create(world));
  };
}

async function withLongHeader({ transaction }: Stage): Promise<void> {
  transaction.request.headers['X-Long'] = 'x'.repeat(9_000);
}

export async function withUnknownParameter({ transaction }: Stage): Promise<void> {
  setQuery(transaction, 'verbose', '1');
}

export function withDamagedTable(table: string): Scenario {
  return async ({ world: { faults }, defer }) => {
    await faults.damage(table);
    defer(() => faults.repair(table));
  };
}

export function whileLocked(...tables: string[]): Scenario {
  return async ({ world: { faults }, defer }) => {
    await faults.lock(tables);
    defer(() => faults.unlock());
  };
}

/**
 * Returns a scenario that makes the service unavailable. On MySQL, it locks the tables. On SQLite, it shuts the service
 * down, because a lock does not block SQLite's readers in WAL mode.
 */
export function unavailable(...tables: string[]): Scenario {
  return (stage) => (stage.world.kind === 'sqlite' ? whileClosing(stage) : whileLocked(...tables)(stage));
}

/** Closes the service while a reading is in flight. This reading is accepted, and every later request is rejected. */
async function whileClosing({ world: { service, key }, defer }: Stage): Promise<void> {
  const finish = await beginIngest(service.url, key, JSON.stringify(reading(randomUUID())));
  service.signal('SIGTERM');
  defer(async () => {
    const status = await finish();
    await service.restart();
    if (status !== 200) throw new Error(`the reading in flight at the shutdown got a ${status}`);
  });
  const endsAtMs = Date.now() + closingMs;
  while ((await statusOf(`${service.url}/readyz`)) !== 503) {
    if (Date.now() > endsAtMs) throw new Error('the service does not notice SIGTERM');
    await sleep(10);
  }
}

async function statusOf(url: string): Promise<number> {
  const response = await fetch(url, { signal: AbortSignal.timeout(closingMs) });
  await response.arrayBuffer();
  return response.status;
}

export function setQuery(transaction: Transaction, name: string, value: string): void {
  const url = new URL(transaction.fullPath, 'http://any');
  url.searchParams.set(name, value);
  transaction.fullPath = `${url.pathname}${url.search}`;
}
