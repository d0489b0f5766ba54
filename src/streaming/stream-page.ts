import { stream as settings } from '../../generated/spec.js';
import type { Schema, TokenGrant } from '../contract/contract.js';
import { isForPerson, restrictToToken } from '../score/live.js';
import { toStateReading } from '../score/state-reading.js';
import { createPositionReader, type PositionRange, type StreamedReading } from '../store/readings-by-position.js';
import type { ReadScope } from '../store/scope.js';
import { type ExportPosition, firstSpan, searchSubject, type SubjectPage } from './export-page.js';

/**
 * A request for the events of one account, session or person after a given event. Plain data, because it is sent to
 * another thread.
 */
export interface PageRequest {
  readonly accountId: string;
  /** Session of the events. Absent: all sessions of the person or account. */
  readonly sessionId?: string | undefined;
  /** Person of the events. Not together with `sessionId`. */
  readonly subjectId?: string | undefined;
  /** Session and person of a session token. Present: the events do not name any other session. */
  readonly grant?: Pick<TokenGrant, 'sessionId' | 'subjectId'> | undefined;
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
  scope: ReadScope,
  { sessionId, subjectId, grant, after }: Omit<PageRequest, 'accountId'>,
  findErased: (subjectId: string) => Promise<number>,
): Promise<EventPage> {
  const max = settings.page_events;
  const readings = createPositionReader(scope);
  const listEvents = (found: readonly StreamedReading[]) =>
    found.flatMap((reading) => toEvents(reading, grant)).filter(({ id }) => id > after);
  if (subjectId !== undefined) {
    const page = await readPerson(scope, subjectId, after, listEvents);
    // Read after the readings: if the person was erased in between, the stream ends and sends none of them.
    return { ...page, incarnation: String(await findErased(subjectId)) };
  }
  const found =
    sessionId === undefined
      ? { readings: await readings.streamAccount(after, max), incarnation: undefined }
      : await readings.streamSession(sessionId, after, max);
  const { incarnation } = found;
  return { events: listEvents(found.readings), incarnation, isFull: found.readings.length === max };
}

/** Reads the next events of a person, starting at a position. */
async function readPerson(
  scope: ReadScope,
  subjectId: string,
  from: number,
  listEvents: (found: readonly StreamedReading[]) => StreamEvent[],
): Promise<EventPage> {
  const max = settings.page_events;
  const readings = createPositionReader(scope);
  const through = await readings.newestPosition();
  let start: ExportPosition | undefined = { after: from - 1, through, span: firstSpan };
  let events: StreamEvent[] = [];
  // A range may contain only the reading of `from`, or state changes that the client does not get.
  const read = (range: PositionRange) => readings.streamSubject(subjectId, range, max);
  while (start && events.length === 0) {
    const page: SubjectPage<StreamedReading> = await searchSubject(read, start, max);
    events = listEvents(page.found);
    start = page.next;
  }
  return { events, isFull: start !== undefined };
}

/**
 * Returns the events of a reading. The state change follows the reading that caused it and has the next id. For a token,
 * a reading of another session has the session of the token. A state change of another session, or with the evidence of
 * one that the token must not know, is left out.
 */
function toEvents(
  { position, sessionId, subjectId, computed, stateChange }: StreamedReading,
  grant: PageRequest['grant'],
): StreamEvent[] {
  const shownSession = grant?.sessionId ?? sessionId;
  const data = JSON.stringify(toStateReading(shownSession, restrictToToken(computed, grant, subjectId)));
  const reading = { id: position, type: 'reading', data } as const;
  const isHidden = shownSession !== sessionId || (computed.alone && !isForPerson(grant, subjectId));
  if (stateChange === null || isHidden) return [reading];
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
    const { accountId, sessionId, subjectId, grant, after } = request;
    const key = JSON.stringify([accountId, sessionId, subjectId, grant?.sessionId, grant?.subjectId, after]);
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
