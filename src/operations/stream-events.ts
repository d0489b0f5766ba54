import type { OperationRecord } from './operation.js';

/** Streams the events of a session or of all sessions. A token without session_id streams its own session. */
export const streamEvents: OperationRecord<'streamEvents'> = {
  personalData: 'reads',
  takesTokenInQuery: true,
  nameSession: ({ session_id }, ownSession) => session_id ?? ownSession,
  stream({ openStream }, { query, caller, token, onSent }) {
    const request = {
      caller,
      onSent,
      sessionId: query.session_id ?? token?.sessionId,
      type: query.events,
      lastEventId: query.last_event_id === undefined ? undefined : Number(query.last_event_id),
      expiresAtMs: token?.expiresAtMs,
    };
    return { mediaType: 'text/event-stream', isEndless: true, run: (begin) => openStream(request, begin) };
  },
};
