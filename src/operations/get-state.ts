import type { Operation } from '../contract.js';
import type { ComputedState, Session } from '../domain/session.js';
import { ageConfidence, toStateReading } from '../domain/state-reading.js';
import { ProblemError } from '../problem.js';
import type { Reader } from '../store/store.js';
import type { Services } from './services.js';

/** Returns the state as of the newest reading. The score does not decay, the confidence falls with its age. */
export function getState({ store, now }: Services): Operation<'getState'> {
  return async ({ query }, { accountId }) => {
    const reader = store.read(accountId);
    const found = await reader.findSession(query.session_id);
    if (!found) throw new ProblemError('session_not_found');
    const computed = await withTriggers(reader, found.session);
    const confidence = ageConfidence(computed.confidence, now() - computed.timestampMs);
    return { status: 200, body: toStateReading(query.session_id, { ...computed, confidence }) };
  };
}

async function withTriggers(reader: Reader, { latest, subjectId }: Session): Promise<ComputedState> {
  const subject = subjectId === undefined ? undefined : await reader.findSubject(subjectId);
  return subject ? { ...latest, triggers: { active: subject.active, resolved: subject.resolved } } : latest;
}
