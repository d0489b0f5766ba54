import { parameterDefaults } from '../../generated/spec.js';
import { ProblemError } from '../contract/problem.js';
import { toHistory } from '../score/history.js';
import { isForPerson } from '../score/live.js';
import { findPoints } from '../store/history-points.js';
import { listSessionIds } from '../store/scan.js';
import { createSessionReader } from '../store/sessions.js';
import { createSubjectReader } from '../store/subjects.js';
import type { OperationRecord } from './operation.js';

/** Returns the points of the window. The list is empty if a known session or person has no reading in the window. */
export const getHistory: OperationRecord<'getHistory', 'store' | 'now' | 'pause'> = {
  personalData: 'reads',
  countsPerSession: true,
  nameSession: ({ session_id }) => session_id,
  namePerson: ({ subject_id }) => subject_id,
  tool: {
    name: 'get_session_history',
    title: 'Get the history',
    description: 'Get the states of a session or of a person over the last minutes, with trend and summary.',
    leading: ['trend'],
  },
  async handle({ store, now, pause }, { query }, { accountId, grant }) {
    const { session_id = '', subject_id, minutes = parameterDefaults.Minutes, until } = query;
    const scope = store.read(accountId, pause);
    const untilMs = until === undefined ? undefined : Date.parse(until);
    const nowMs = now();
    const window = { afterMs: (untilMs ?? nowMs) - minutes * 60_000, untilMs, nowMs };
    if (subject_id === undefined) {
      const found = await createSessionReader(scope).find(session_id);
      if (!found) throw new ProblemError('session_not_found');
      const isAlone = !isForPerson(grant, found.session.subjectId);
      const points = await findPoints(scope, [found.incarnation], window, isAlone);
      return { status: 200, body: await toHistory({ session_id }, minutes, points, { pause }) };
    }
    const sessionIds = await listSessionIds(scope, subject_id);
    const points = await findPoints(scope, sessionIds.keys(), window);
    if (points.length === 0 && !(await createSubjectReader(scope).find(subject_id)))
      throw new ProblemError('subject_not_found');
    const named = points.map((point) => ({ ...point, sessionId: sessionIds.get(point.incarnation) ?? '' }));
    const options = { pause, onlySession: grant?.sessionId };
    return { status: 200, body: await toHistory({ subject_id }, minutes, named, options) };
  },
};
