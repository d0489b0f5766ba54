import { ProblemError } from '../contract/problem.js';
import type { Outcome } from '../readings/account.js';
import type { PreparedReading } from '../readings/prepared-reading.js';
import { requiredNames } from '../../packages/score/signals.js';
import { toStateReading } from '../contract/state-reading.js';
import type { OperationRecord } from './operation.js';

/** Stores a prepared reading and returns the state after the reading. */
export const ingest: OperationRecord<'ingest', 'commit', PreparedReading> = {
  personalData: 'writes',
  takes: 'reading',
  tool: {
    name: 'ingest',
    title: 'Send a reading',
    description: `Send the signals of a person at one time, and get the stress state with a recommendation. Send at least one of ${requiredNames.join(', ')}. To detect stress topics, send user_message and ai_response together with subject_id. If the result contains safety, follow its guidance first. Omit timestamp for a reading taken now.`,
    leading: ['safety', 'recommendation'],
  },
  async handle({ commit }, { body: reading }, caller) {
    const [outcome] = (await commit(caller, [reading])) as [Outcome];
    if (outcome instanceof ProblemError) throw outcome;
    return { status: 200, body: toStateReading(reading.sessionId, outcome, reading.check) };
  },
};
