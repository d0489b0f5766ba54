import { stream as settings } from '../../generated/spec.js';
import type { Schema } from '../contract/contract.js';
import type { Grant } from '../contract/grant.js';
import { toWhoseKey, type Whose } from '../contract/whose.js';
import { toStateReading } from '../contract/state-reading.js';
import type { SlicedScope } from '../store/scope.js';
import { type StreamedReading, view } from '../view/view.js';

/** A request for the events after a given event, and who reads them. Plain data, because it is sent to another thread. */
export interface PageRequest {
  readonly caller: Grant;
  readonly whose: Whose;
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
  /**
   * The incarnation of the session, or the time of the newest erasure of the person. Undefined if the session has no
   * data, and for a page of all sessions.
   */
  readonly incarnation?: string | undefined;
  /** True if there may be further events. */
  readonly isFull: boolean;
}

/**
 * Reads the next events. Reads the reading of `after` again, because its state change may be the next event.
 * `findErased` returns the time of the newest erasure of a person, in epoch ms.
 */
export async function readPage(
  scope: SlicedScope,
  { caller, whose, after }: PageRequest,
  findErased: (subjectId: string) => Promise<number>,
): Promise<EventPage> {
  const viewed = view(scope, caller);
  let page = await viewed.events(whose, await viewed.beginEvents(whose, after), settings.page_events);
  const { incarnation } = page;
  const listEvents = () => page.found.flatMap(toEvents).filter(({ id }) => id > after);
  let events = listEvents();
  // A page may contain only the reading of `after`, or state changes that the client does not get.
  while (events.length === 0 && page.next) {
    page = await viewed.events(whose, page.next, settings.page_events);
    events = listEvents();
  }
  const isFull = page.next !== undefined;
  if (whose.kind !== 'person') return { events, incarnation, isFull };
  // Read after the readings: if the person was erased in between, the stream ends and sends none of them.
  return { events, incarnation: String(await findErased(whose.subjectId)), isFull };
}

/** Returns the events of a reading. The state change follows the reading that caused it and has the next id. */
function toEvents({ position, sessionId, subjectId, computed, stateChange }: StreamedReading): StreamEvent[] {
  const withPerson = (data: object) => JSON.stringify({ ...data, subject_id: subjectId });
  const reading = { id: position, type: 'reading', data: withPerson(toStateReading(sessionId, computed)) } as const;
  if (stateChange === null) return [reading];
  return [reading, { id: position + 1, type: 'state_change', data: withPerson(JSON.parse(stateChange)) }];
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
    const { caller, whose, after } = request;
    const { accountId, sessionId, subjectId } = caller;
    const key = JSON.stringify([accountId, toWhoseKey(whose), sessionId, subjectId, after]);
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
