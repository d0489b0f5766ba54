import type { OperationRecord } from './operation.js';

/** Streams the events of a session or of all sessions. A token without session_id streams its own session. */
export const streamEvents: OperationRecord<'streamEvents'> = {
  personalData: 'reads',
  takesTokenInQuery: true,
  nameSession: ({ session_id }, ownSession) => session_id ?? ownSession,
  stream({ openStream }, { query, headers, caller, token, onSent }) {
    const lastEventId = headers?.['Last-Event-ID'] || query.last_event_id;
    const request = {
      caller,
      onSent,
      sessionId: query.session_id ?? token?.sessionId,
      type: query.events,
      lastEventId: lastEventId === undefined ? undefined : Number(lastEventId),
      expiresAtMs: token?.expiresAtMs,
    };
    return { mediaType: 'text/event-stream', isEndless: true, run: (begin) => openStream(request, begin) };
  },
};
