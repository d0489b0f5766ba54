import { onTestFinished } from 'vitest';
import { evaluate, type Evaluation, type EvaluationParts } from '../src/alerts/evaluate.js';
import { readConfig } from '../src/config/config.js';
import { requireSecretsKeys } from '../src/config/secrets-key.js';
import type { Schema } from '../src/contract/contract.js';
import { createDigestId } from '../src/keys/digest-id.js';
import { createAlertLease } from '../src/store/alerts.js';
import { findAbsences } from '../src/store/service-runs.js';
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

/** Claims the minute of the clock. Resolves with false if it is claimed. */
export function claimMinute({ store, clock }: TestService): Promise<boolean> {
  return store.run((knex) => createAlertLease(knex).claim(clock.nowMs - (clock.nowMs % 60_000)));
}

/** Claims the minute of the clock and evaluates all rules once. */
export async function evaluateNow(service: TestService, changes: Partial<EvaluationParts> = {}): Promise<Evaluation> {
  await claimMinute(service);
  const { store, clock } = service;
  const minuteMs = clock.nowMs - (clock.nowMs % 60_000);
  await keepRunning(service);
  const absences = () => store.run((knex) => findAbsences(knex, clock.nowMs));
  const parts = { store, digestId: digestsOf(service), now: clock.now, findAbsences: absences, minuteMs };
  return evaluate({ ...parts, isOver: () => false, ...changes }, undefined);
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
