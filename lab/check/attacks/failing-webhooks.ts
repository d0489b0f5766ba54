import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { quantile } from '../../../packages/tools/terminal/quantile.js';
import { openReceiver } from '../../../testkit/open-receiver.js';
import { atLeast, type Row } from '../../../testkit/verdict.js';
import { headersOf } from '../shared/client.js';
import type { Caller, Stage } from './stage.js';

export const webhooksPerAccount = 95;
const sessionsPerAccount = 40;
const attackMs = 20_000;
/** Pause between two registrations or erasures of an account, ms. */
const pauseMs = 100;
/** Time after which a request counts as without response, ms. */
const answerLimitMs = 15_000;
/** Target for the p95 of registrations and erasures, ms. */
const answerMs = 2_000;

/** Statuses and durations (ms) of requests. */
interface Answers {
  readonly durationsMs: number[];
  readonly statuses: Map<number, number>;
}

const createAnswers = (): Answers => ({ durationsMs: [], statuses: new Map() });

/** Two accounts whose webhooks fail keep changing states, while they register webhooks and erase people. */
export async function failWebhooks(stage: Stage): Promise<Row[]> {
  const receiver = await openReceiver((_, response) => void response.writeHead(500).end());
  stage.defer(receiver.close);
  const accounts = [stage.attacker, stage.accomplice];
  for (const { webhooks } of accounts)
    for (let index = 0; index < webhooksPerAccount; index += 1) await webhooks.register(`${receiver.url}/${index}`);
  occupyCores(stage);
  const [registrations, erasures] = [createAnswers(), createAnswers()];
  const endsAt = performance.now() + attackMs;
  const swinging = accounts.flatMap((account) =>
    Array.from({ length: sessionsPerAccount }, async (_, session) => {
      while (performance.now() < endsAt) await account.swing(`failing-${session}`).catch(() => sleep(pauseMs));
    }),
  );
  const probing = accounts.flatMap((account) => [
    probe(stage, account, registrations, endsAt, (send, round) =>
      registerAndRemove(account, send, `${receiver.url}/new-${round}`),
    ),
    probe(stage, account, erasures, endsAt, (send, round) => eraseNewPerson(account, send, `person-${round}`)),
  ]);
  await Promise.all([...swinging, ...probing]);
  return [...rowsOf('registrations', registrations), ...rowsOf('erasures', erasures)];
}

/** Starts a thread per core that computes until the stage closes. */
function occupyCores({ defer }: Stage): void {
  for (let core = 0; core < availableParallelism(); core += 1) {
    const thread = new Worker('for (;;);', { eval: true });
    defer(() => thread.terminate());
  }
}

/** Sends a request and records its response. */
type Send = (path: string, init: RequestInit) => Promise<{ readonly id?: string }>;

/** Repeats the work, which sends requests with the key of the account. */
async function probe(
  { service }: Stage,
  { key }: Caller,
  { durationsMs, statuses }: Answers,
  endsAt: number,
  work: (send: Send, round: number) => Promise<unknown>,
): Promise<void> {
  const send: Send = async (path, init) => {
    const startedAt = performance.now();
    const options = { ...init, headers: headersOf(key), signal: AbortSignal.timeout(answerLimitMs) };
    const response = await fetch(service().url + path, options).catch(() => undefined);
    durationsMs.push(performance.now() - startedAt);
    const status = response?.status ?? 0;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    return (await response?.json().catch(() => undefined)) ?? {};
  };
  for (let round = 0; performance.now() < endsAt; round += 1) {
    await work(send, round);
    await sleep(pauseMs);
  }
}

/** Registers a webhook and removes it, because the number of webhooks is limited. */
async function registerAndRemove({ request }: Caller, send: Send, url: string): Promise<void> {
  const body = JSON.stringify({ url, events: ['state_change'] });
  const { id } = await send('/webhooks/register', { method: 'POST', body });
  if (id !== undefined) await request(`/webhooks/${id}`, undefined, 'DELETE').catch(() => undefined);
}

/** Erases a person with a state change, which all webhooks of the account get. */
async function eraseNewPerson({ swing }: Caller, send: Send, id: string): Promise<void> {
  await swing(id, id).catch(() => undefined);
  await swing(id, id).catch(() => undefined);
  await send(`/v1/subjects/${id}`, { method: 'DELETE' });
}

function rowsOf(what: string, { durationsMs, statuses }: Answers): Row[] {
  return [
    { what, found: durationsMs.length, allowed: atLeast(1) },
    ...[...statuses].map(([status, found]) => ({
      what: `  with status ${status || 'none'}`,
      found,
      ...((status >= 500 || status === 0) && { allowed: 0 }),
    })),
    { what: `p95 of ${what}, ms`, found: Math.round(quantile(durationsMs, 0.95)), target: answerMs },
    { what: `longest of ${what}, ms`, found: Math.round(Math.max(...durationsMs)) },
  ];
}
