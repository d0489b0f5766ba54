import type { OperationRecord } from './operation.js';

/** Streams the events of a session, a person or all sessions. A token that names neither streams its own session. */
export const streamEvents: OperationRecord<'streamEvents'> = {
  personalData: 'reads',
  takesTokenInQuery: true,
  stream({ openStream }, { query: { events: type, last_event_id }, whose, caller, onSent }) {
    const lastEventId = last_event_id === undefined ? undefined : Number(last_event_id);
    const request = { caller, whose, type, lastEventId, onSent };
    return { mediaType: 'text/event-stream', isEndless: true, run: (begin) => openStream(request, begin) };
  },
};
