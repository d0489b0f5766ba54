import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { stream as settings } from '../../../generated/spec.js';
import { parseResult, ProblemError, UnexpectedAnswerError } from './problem-error.js';
import type { StateReading, StreamedStateChange, StreamEventType } from './schemas.js';
import { type ConnectionParts, receive } from './stream-connection.js';

/** The data of each type of event. */
interface EventData extends Record<StreamEventType, unknown> {
  readonly reading: StateReading;
  readonly state_change: StreamedStateChange;
}

/** An event of the stream. `id` continues the stream after this event. */
export type StreamEvent<Type extends StreamEventType = StreamEventType> = {
  [Each in Type]: { readonly id: string; readonly type: Each; readonly data: EventData[Each] };
}[Type];

export interface StreamOptions<Type extends StreamEventType = StreamEventType> {
  /** Only events of this session. Default: all sessions of the account, or the session of the token. */
  readonly sessionId?: string;
  /** Only events of the sessions of this person. Not together with `sessionId`. */
  readonly subjectId?: string;
  /** Only events of this type. */
  readonly events?: Type;
  /** Continue after the event with this id. Default: events from now on. */
  readonly lastEventId?: string;
  /**
   * Called when a connection has ended, before the stream connects again in `waitMs`. `error` is undefined if the
   * service ended the connection, e.g. at its shutdown.
   */
  readonly onDisconnect?: (error: Error | undefined, waitMs: number) => void;
}

/** The parts that a stream takes over for each of its connections. */
type Inherited = 'signal' | 'timeoutMs';

export interface StreamParts extends Pick<ConnectionParts<unknown>, Inherited> {
  /** Requests the stream after an event. */
  readonly connect: (
    lastEventId: string | undefined,
    signal: AbortSignal,
  ) => ReturnType<ConnectionParts<unknown>['connect']>;
  /** Maximum number of failed retries, and their waits together, before the first connection. */
  readonly maxRetries: number;
  readonly waitBudgetMs: number;
  /** Rejects when the signal aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
}

/** Missing heartbeats after which a connection counts as lost. */
const silentHeartbeats = 3;
const waitMaxMs = 30_000;
/** Largest event that is accepted, in characters. The service sends at most a few thousand. */
const eventSizeMax = 1_000_000;
/** Statuses under 500 that another attempt can fix. */
const passing = [408, 429];
const known: Readonly<Record<StreamEventType, true>> = { reading: true, state_change: true };

/**
 * Yields the events of a stream. Connects again after each end of a connection and continues after the last event, so
 * that no event is missing or repeated. Throws when the signal aborts, when no first connection succeeds, and for an
 * error that another attempt cannot fix, e.g. 401.
 */
export async function* followStream<Type extends StreamEventType>(
  parts: StreamParts,
  { lastEventId, onDisconnect }: StreamOptions<Type>,
): AsyncGenerator<StreamEvent<Type>, void, undefined> {
  let retryMs: number = settings.retry_ms[0];
  const connection: ConnectionParts<StreamEvent<Type>> = {
    ...parts,
    silenceMs: settings.heartbeat_seconds * silentHeartbeats * 1000,
    connect: (signal) => parts.connect(lastEventId, signal),
    startParser() {
      const messages: EventSourceMessage[] = [];
      const onEvent = (message: EventSourceMessage) => void messages.push(message);
      const parser = createParser({ onEvent, onRetry: (ms) => (retryMs = ms), maxBufferSize: eventSizeMax });
      return (text) => {
        parser.feed(text);
        return messages.splice(0).flatMap((message) => {
          lastEventId = message.id ?? lastEventId;
          return eventOf<Type>(message) ?? [];
        });
      };
    },
  };
  let hasConnected = false;
  let budgetMs = parts.waitBudgetMs;
  for (let failures = 0; ;) {
    const { wasOpen, error } = yield* receive(connection);
    hasConnected ||= wasOpen;
    failures = wasOpen ? 0 : failures + 1;
    const waitMs = error ? waitAfter(error, retryMs * 2 ** failures * (1 + parts.random() / 2)) : retryMs;
    budgetMs -= waitMs;
    const mayRetry = hasConnected || (failures <= parts.maxRetries && budgetMs >= 0);
    if (error && (isFinal(error) || !mayRetry)) throw error;
    onDisconnect?.(error, waitMs);
    await parts.sleep(waitMs, parts.signal);
  }
}

/** Returns the wait in ms. A longer one that the service states takes precedence. */
export function waitAfter(error: Error, backoffMs: number): number {
  const statedMs = isAnswer(error) ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
  return Math.max(statedMs, Math.round(Math.min(backoffMs, waitMaxMs)));
}

export function isFinal(error: Error): boolean {
  // A TypeError names an argument of the caller: `fetch` fails with ConnectionError.
  return error instanceof TypeError || (isAnswer(error) && error.status < 500 && !passing.includes(error.status));
}

function isAnswer(error: Error): error is ProblemError | UnexpectedAnswerError {
  return error instanceof ProblemError || error instanceof UnexpectedAnswerError;
}

/** Returns the event of a message. Undefined for `ready`, and for a type that this client does not know. */
function eventOf<Type extends StreamEventType>({ id, event, data }: EventSourceMessage): StreamEvent<Type> | undefined {
  if (id === undefined || !isKnown(event)) return undefined;
  return { id, type: event, data: parseResult(data) } as StreamEvent<Type>;
}

function isKnown(type = ''): type is StreamEventType {
  return Object.hasOwn(known, type);
}
