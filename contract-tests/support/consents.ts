import { randomUUID } from 'node:crypto';
import type { AccountSettings, Schema, Submission } from '../../src/contract.js';
import type { TestService } from './service.js';

type Consents = Pick<TestService, 'request' | 'clock'>;
type Decision = Partial<Schema<'ConsentSubmission'>>;

/** Sets the settings of the account of a service before its key is used for the first time. */
export async function setUp(service: TestService, settings: AccountSettings): Promise<TestService> {
  await service.store.keys.transact((writer) => writer.saveSettings(service.accountId, settings));
  return service;
}

/** Sends a decision of a person. By default, the person allows heart data, now. */
export function decide({ request, clock }: Consents, subjectId: string, decision: Decision = {}) {
  const now = { categories: ['cardiovascular'], purposes: ['adapt'], context: 'care', event_time: clock.at() };
  return request(`/v1/subjects/${subjectId}/consent`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...now, ...decision }),
  });
}

/** Sends a decision like `decide`. Requires a 200. */
export async function allow(
  service: Consents,
  subjectId: string,
  categories: Decision['categories'],
  decision: Decision = {},
): Promise<Schema<'Consent'>> {
  const { status, body } = await decide(service, subjectId, { categories, ...decision } as Decision);
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body;
}

/** A reading with a signal of every category, and a conversation turn. */
export function everySignal(): Partial<Submission> & Pick<Submission, 'session_id'> {
  return {
    session_id: randomUUID(),
    ...{ heart_rate: 118, rmssd: 14, eda: 9, tone: 'hostile', expression: 'tense', sentiment: -0.9, urgency: 'high' },
    ...{ activity_level: 'resting', steps_last_minute: 0 },
    ...{ user_message: 'I want to die. My exam is tomorrow.', ai_response: 'Which part worries you?' },
  };
}
