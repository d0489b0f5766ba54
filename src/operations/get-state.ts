import { toNames } from '../contract/whose.js';
import { ageReading, toContributions, toStateReading } from '../contract/state-reading.js';
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
      'Get the current stress state of a session, or of a person over all sessions. Call it before you answer the person, and follow the recommendation. With evidence none or weak, the state is unknown. The confidence falls with the age of the state. At 0, the state is outdated.',
    leading: ['evidence', 'recommendation'],
  },
  async handle({ store, now }, { whose }, caller) {
    const { sessionId, computed } = await view(store.read(caller.accountId), caller).state(whose);
    const reading = { ...toStateReading(sessionId, computed), ...toContributions(computed) };
    const body = ageReading(reading, now() - computed.timestampMs);
    return { status: 200, body: { ...body, ...(whose.kind === 'person' && toNames(whose)) } };
  },
};
