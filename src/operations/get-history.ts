import { parameterDefaults } from '../../generated/spec.js';
import { toNames } from '../contract/whose.js';
import { toHistory } from '../contract/history.js';
import { toNotObserved } from '../store/service-runs.js';
import { view } from '../view/view.js';
import type { OperationRecord } from './operation.js';

/** Returns the points of the window. The list is empty if a known session or person has no reading in the window. */
export const getHistory: OperationRecord<'getHistory', 'store' | 'now' | 'pause' | 'absences'> = {
  personalData: 'reads',
  tool: {
    name: 'get_session_history',
    title: 'Get the history',
    description: 'Get the states of a session or of a person over the last minutes, with trend and summary.',
    leading: ['trend'],
  },
  async handle({ store, now, pause, absences }, { query, whose }, caller) {
    const { minutes = parameterDefaults.Minutes, until } = query;
    const nowMs = now();
    const untilMs = until === undefined ? undefined : Date.parse(until);
    const window = { afterMs: (untilMs ?? nowMs) - minutes * 60_000, untilMs, nowMs };
    const points = await view(store.read(caller.accountId, pause), caller).history(whose, window);
    const history = await toHistory(toNames(whose), minutes, points, pause);
    return { status: 200, body: { ...history, ...toNotObserved(absences(), window.afterMs, untilMs ?? nowMs) } };
  },
};
