import type { OperationRecord } from './operation.js';

/** Streams the events of a session, a person or all sessions. A token that names neither streams its own session. */
export const streamEvents: OperationRecord<'streamEvents'> = {
  personalData: 'reads',
  takesTokenInQuery: true,
  nameSession: ({ session_id }, ownSession) => session_id ?? ownSession,
  namePerson: ({ subject_id }) => subject_id,
  stream({ openStream }, { query, caller, token, onSent }) {
    const request = {
      caller,
      onSent,
      subjectId: query.subject_id,
      sessionId: query.subject_id === undefined ? (query.session_id ?? token?.sessionId) : undefined,
      type: query.events,
      lastEventId: query.last_event_id === undefined ? undefined : Number(query.last_event_id),
      expiresAtMs: token?.expiresAtMs,
    };
    return { mediaType: 'text/event-stream', isEndless: true, run: (begin) => openStream(request, begin) };
  },
};
