import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { operations } from '../../generated/api.js';
import { operationScopes } from '../../generated/spec.js';
import type { Parameter } from '../../packages/docs/contract.js';
import type { OperationId } from '../../src/contract/contract.js';
import { buildRequest } from '../../testkit/documented-requests.js';
import { beginIngest } from '../../testkit/open-request.js';
import { reading } from './data.js';
import type { Transaction } from './dredd.js';
import type { Defer } from './run-dredd.js';
import type { World } from './world.js';

const closingMs = 5_000;

/** Context of a scenario: Dredd's default request, with a valid key if the operation requires one. */
export interface Stage {
  readonly operationId: OperationId;
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
export async function withoutScope({ operationId, world, transaction }: Stage): Promise<void> {
  const scopes: Readonly<Record<string, string>> = operationScopes;
  const isIngest = scopes[operationId] === 'ingest';
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
type Create = (world: World, defer: Defer) => Promise<string>;

/** Returns a scenario that names a resource in the path or the query: one of `create`, or an unknown one. */
export function naming(name: string, create: Create = async () => randomUUID()): Scenario {
  return async (stage) => {
    const isSent = (it: Parameter) => it.required === true || it.name === name;
    const values = { [name]: await create(stage.world, stage.defer) };
    stage.transaction.fullPath = buildRequest(stage.operationId, { isSent, values }).path;
  };
}

async function withLongHeader({ transaction }: Stage): Promise<void> {
  transaction.request.headers['X-Long'] = 'x'.repeat(9_000);
}

export async function withUnknownParameter({ transaction }: Stage): Promise<void> {
  transaction.fullPath += `${transaction.fullPath.includes('?') ? '&' : '?'}verbose=1`;
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
