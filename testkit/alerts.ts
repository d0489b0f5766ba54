import { expect, onTestFinished } from 'vitest';
import type { EvaluationParts } from '../src/alerts/evaluate.js';
import { takeTurns } from '../src/alerts/start.js';
import { readConfig } from '../src/config/config.js';
import { requireSecretsKeys } from '../src/config/secrets-key.js';
import type { Schema } from '../src/contract/contract.js';
import { createDigestId } from '../src/store/erased-ids.js';
import { findAbsences } from '../src/store/service-runs.js';
import { batchResults } from './batch.js';
import { settingsFor } from './databases.js';
import type { TestService } from './service.js';
import { openKnex } from './temporary-database.js';

const hostile = { heart_rate: 130, tone: 'hostile', sentiment: -0.9, expression: 'tense' } as const;
const url = 'https://8.8.8.8/alerts';

/** Creates a rule. Registers a webhook for its events, unless one exists. Returns the id of the rule. */
export async function createRule(service: TestService, rule: Schema<'AlertRuleRequest'>): Promise<string> {
  await service.post('/webhooks/register', { url, events: ['alert'] });
  // Rules of the same millisecond have no order.
  service.clock.advance(1);
  const { status, body } = await service.post('/v1/alerts', rule);
  if (status !== 201) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body.id;
}

export const digestsOf = ({ database }: TestService) =>
  createDigestId(requireSecretsKeys(readConfig(settingsFor(database.url))));

/** More turns than the slices of two days that a new rule searches. */
const turnsMax = 400;

/** Evaluates the rules that are due, and finds the people of new rules. Returns how many rules fired. */
export async function evaluateNow(service: TestService, changes: Partial<EvaluationParts> = {}): Promise<number> {
  const { store, clock } = service;
  const onFailure = (error: unknown) => {
    throw error;
  };
  await keepRunning(service);
  // The transactions of before the rule have ended.
  await store.run((knex) => knex('alert_seeds').where('until_ms', '>', clock.nowMs).update({ until_ms: clock.nowMs }));
  const absences = () => store.run((knex) => findAbsences(knex, clock.nowMs));
  const parts = { store, digestId: digestsOf(service), now: clock.now, findAbsences: absences, onFailure, ...changes };
  let fired = 0;
  const turns = { isStopped: () => false, pause: async () => {}, onFired: (count: number) => void (fired += count) };
  for (let turn = 0; await takeTurns(parts, turns); turn += 1)
    if (turn > turnsMax) throw new Error('people are due again and again');
  return fired;
}

/** Stores that the service has run until now. The clock of a test jumps, which would be an absence. */
export function keepRunning({ store, clock }: TestService): Promise<void> {
  return store.run(async (knex) => {
    const newest = await knex('service_runs').orderBy('started_ms', 'desc').first('started_ms');
    await knex('service_runs').where(newest).update({ seen_ms: clock.nowMs });
  });
}

/** Sends a reading of high stress now, and then one per minute. */
export async function stress(service: TestService, subject_id: string, minutes: number): Promise<void> {
  for (let minute = 0; minute <= minutes; minute += 1) {
    if (minute > 0) service.clock.advance(60);
    await service.read({ session_id: `of-${subject_id}`, subject_id, ...hostile });
  }
}

/** Sends a batch of readings of high stress of these people, each of them a number of seconds ago. */
export async function stressAll(service: TestService, ...people: ReadonlyArray<readonly [string, number]>) {
  const of = (id: string) => ({ session_id: `of-${id}`, subject_id: id, ...hostile });
  const lines = people.map(([id, seconds]) => ({ ...of(id), timestamp: service.clock.at(-seconds) }));
  for (const { status } of await batchResults(service, lines)) expect(status).toBe(200);
}

/** Makes the topic `exams` of a person active, by stressed turns. */
export async function activate(service: TestService, subject_id: string): Promise<void> {
  const turn = { user_message: 'I am so worried about my exams', ai_response: 'Tell me more.' };
  for (let count = 0; count < 3; count += 1) {
    await service.read({ session_id: `of-${subject_id}`, subject_id, ...hostile, ...turn });
    service.clock.advance(60);
  }
}

/** Stores an hour of each of the last days, two hours before this hour of the day, with a mean score. */
export async function storeHours(
  { database, accountId, clock }: Pick<TestService, 'database' | 'accountId' | 'clock'>,
  subject_id: string,
  days: number,
  score: number,
  nowMs = clock.nowMs,
) {
  const knex = openKnex(database.url);
  const hour = Math.floor(nowMs / 3_600_000) * 3_600_000;
  const empty = {
    calm_ms: 0,
    relaxed_ms: 0,
    focused_ms: 0,
    stressed_ms: 0,
    acute_stress_ms: 0,
    heart_rates: 0,
    topics: '',
  };
  const scores = { readings: 2, score_sum: 2 * score, score_min: score, score_max: score };
  for (let day = 1; day <= days; day += 1)
    await knex('subject_hours').insert({
      ...{ account_id: accountId, subject_id, hour_ms: hour - day * 24 * 3_600_000 },
      ...{ ...empty, ...scores },
    });
  await knex.destroy();
}

/** Returns a function that reads the bodies of the account's alerts in the outbox, oldest first. */
export function alertsOf({ database, accountId }: TestService): () => Promise<Array<Schema<'Alert'>>> {
  const knex = openKnex(database.url);
  onTestFinished(() => knex.destroy());
  return async () => {
    const rows: Array<{ payload: string }> = await knex('outbox')
      .where({ account_id: accountId })
      .orderBy('created_at_ms')
      .orderBy('subject_id');
    return rows.map(({ payload }) => JSON.parse(payload)).filter(({ event }) => event === 'alert');
  };
}
