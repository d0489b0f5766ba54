import { toNames } from '../contract/whose.js';
import { ageState, toStateReading } from '../contract/state-reading.js';
import { view } from '../view/view.js';
import type { OperationRecord } from './operation.js';

/**
 * Returns the state as of the newest reading. The score does not decay. The confidence falls with the age of the state.
 */
export const getState: OperationRecord<'getState', 'store' | 'now'> = {
  personalData: 'reads',
  tool: {
    name: 'get_human_state',
    title: 'Get the state',
    description:
      'Get the current stress state of a session, or of a person over all sessions. Call it before you answer the person, and follow the recommendation. The confidence falls with the age of the state. At 0, the state is outdated.',
    leading: ['recommendation'],
  },
  async handle({ store, now }, { whose }, caller) {
    const { sessionId, computed } = await view(store.read(caller.accountId), caller).state(whose);
    const body = toStateReading(sessionId, ageState(computed, now() - computed.timestampMs));
    return { status: 200, body: { ...body, ...(whose.kind === 'person' && toNames(whose)) } };
  },
};
