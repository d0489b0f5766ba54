import { parameterDefaults } from '../../generated/spec.js';
import { ProblemError } from '../contract/problem.js';
import { toHistory } from '../score/history.js';
import { isForPerson } from '../score/live.js';
import { createReadingTable } from '../store/readings.js';
import { createSessionReader } from '../store/sessions.js';
import { createSubjectReader } from '../store/subjects.js';
import type { OperationRecord } from './operation.js';

/** Returns the points of the window. The list is empty if a known session or person has no reading in the window. */
export const getHistory: OperationRecord<'getHistory', 'store' | 'now'> = {
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
  async handle({ store, now }, { query }, { accountId, grant }) {
    const { session_id = '', subject_id, minutes = parameterDefaults.Minutes, until } = query;
    const reader = store.read(accountId);
    const readings = createReadingTable(reader);
    const untilMs = until === undefined ? undefined : Date.parse(until);
    const afterMs = (untilMs ?? now()) - minutes * 60_000;
    if (subject_id === undefined) {
      const found = await createSessionReader(reader).find(session_id);
      if (!found) throw new ProblemError('session_not_found');
      const isAlone = !isForPerson(grant, found.session.subjectId);
      const points = await readings.pointsAfter(found.incarnation, afterMs, untilMs, isAlone);
      return { status: 200, body: toHistory({ session_id }, minutes, points) };
    }
    const points = await readings.pointsOfSubject(subject_id, afterMs, untilMs);
    if (points.length === 0 && !(await createSubjectReader(reader).find(subject_id)))
      throw new ProblemError('subject_not_found');
    return { status: 200, body: toHistory({ subject_id }, minutes, points, grant?.sessionId) };
  },
};
