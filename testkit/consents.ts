import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import type { AccountSettings, Schema, Submission } from '../src/contract/contract.js';
import { createReadingWriter } from '../src/readings/group.js';
import type { PreparedReading } from '../src/readings/prepared-reading.js';
import { createKeyTable } from '../src/store/keys.js';
import type { Store } from '../src/store/store.js';
import { grantOf } from './grants.js';
import type { TestService } from './service.js';
import { erasing } from './stored.js';

type Consents = Pick<TestService, 'request' | 'clock'>;
type Decision = Partial<Schema<'ConsentSubmission'>>;

/** Sets the settings of the account of a service before its key is used for the first time. */
export async function setUp(service: TestService, settings: AccountSettings): Promise<TestService> {
  await service.store.use(createKeyTable).transact((writer) => writer.saveSettings(service.accountId, settings));
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

/**
 * Stores a reading with a heart rate of 143.8127 and a hostile tone in the session `talk`. It was prepared under a consent
 * that allows both, and runs in this transaction. Returns the outcome of the reading.
 */
export async function commitReading(service: TestService, subjectId: string | undefined, transact: Store['transact']) {
  const { store, accountId, clock } = service;
  const parts = { ...erasing(service, { ...store, transact }), onEvents() {}, onCommitted() {} };
  const { commit, close } = createReadingWriter({ ...parts, admitSession: async () => undefined });
  onTestFinished(close);
  const reading: PreparedReading = {
    ...{
      accountId,
      sessionId: 'talk',
      ...(subjectId && { subjectId }),
      digest: '0123456789ab',
      timestampMs: clock.nowMs,
    },
    signals: { heart_rate: 143.8127, tone: 'hostile' },
    consent: { hasPurpose: false, texts: [], isTextRead: true },
  };
  const caller = grantOf(accountId, { settings: { consent: 'enforce' } });
  const [outcome] = await commit(caller, [reading]);
  return outcome;
}
