import { stream as settings } from '../../generated/spec.js';
import type { Schema } from '../contract/contract.js';
import { toStateReading } from '../score/state-reading.js';
import { createPositionReader, type StreamedReading } from '../store/readings-by-position.js';
import type { ReadScope } from '../store/scope.js';

/**
 * A request for the events of one account or session after a given event. Plain data, because it is sent to another
 * thread.
 */
export interface PageRequest {
  readonly accountId: string;
  /** Session of the events. Absent: all sessions of the account. */
  readonly sessionId?: string;
  /** Id of the last event that the client has. */
  readonly after: number;
}

export interface StreamEvent {
  readonly id: number;
  readonly type: Schema<'StreamEventType'>;
  /** Event data, JSON without line breaks. */
  readonly data: string;
}

export interface EventPage {
  readonly events: readonly StreamEvent[];
  /** The incarnation of the session. Undefined if the session has no data, and for a page of all sessions. */
  readonly incarnation?: string | undefined;
  /** True if there may be further events. */
  readonly isFull: boolean;
}

/** Reads the next events. Reads the reading of `after` again, because its state change may be the next event. */
export async function readPage(
  scope: ReadScope,
  { sessionId, after }: Omit<PageRequest, 'accountId'>,
): Promise<EventPage> {
  const max = settings.page_events;
  const readings = createPositionReader(scope);
  const found =
    sessionId === undefined
      ? { readings: await readings.streamAccount(after, max), incarnation: undefined }
      : await readings.streamSession(sessionId, after, max);
  const events = found.readings.flatMap(toEvents).filter(({ id }) => id > after);
  return { events, incarnation: found.incarnation, isFull: found.readings.length === max };
}

/** Returns the events of a reading. The state change follows the reading that caused it and has the next id. */
function toEvents({ position, sessionId, computed, stateChange }: StreamedReading): StreamEvent[] {
  const data = JSON.stringify(toStateReading(sessionId, computed));
  const reading = { id: position, type: 'reading', data } as const;
  if (stateChange === null) return [reading];
  return [reading, { id: position + 1, type: 'state_change', data: stateChange }];
}

type ReadPage = (request: PageRequest) => Promise<EventPage>;

/**
 * Returns a function that reads a page once for all streams that request it in the same event-loop iteration.
 * Otherwise, each reading would cause one query per stream of its account. A request never gets a page whose query has
 * already started, because this page could miss a reading that was committed later.
 */
export function sharePages(readPage: ReadPage): ReadPage {
  const waiting = new Map<string, Promise<EventPage>>();
  return (request) => {
    const key = JSON.stringify([request.accountId, request.sessionId, request.after]);
    const shared = waiting.get(key);
    if (shared) return shared;
    const page = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      waiting.delete(key);
      return readPage(request);
    });
    waiting.set(key, page);
    return page;
  };
}
