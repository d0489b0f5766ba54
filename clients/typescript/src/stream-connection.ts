import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { ConnectionError } from './connection-error.js';
import { createTimeLimit } from './time-limit.js';

export interface ConnectionParts<Item> {
  /** Requests the stream. Resolves with the body when its headers have arrived. Rejects with the error of the response. */
  readonly connect: (signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>;
  /** The caller's signal. */
  readonly signal: AbortSignal | undefined;
  /** Maximum wait for the headers. */
  readonly timeoutMs: number;
  /** Maximum wait for the next bytes. The service sends a comment more often. */
  readonly silenceMs: number;
  /** Called with the wait in ms that the service states. */
  readonly onRetry: (ms: number) => void;
  /** Called with each message before its item is yielded. Undefined: the message has no item. */
  readonly itemOf: (message: EventSourceMessage) => Item | undefined;
}

/** How a connection ended. */
export interface Ended {
  /** False if no byte of the stream arrived. */
  readonly wasOpen: boolean;
  /** Undefined if the service ended the stream. */
  readonly error: Error | undefined;
}

/** Largest event that is accepted, in characters. The service sends at most a few thousand. */
const eventSizeMax = 1_000_000;

/**
 * Yields the items of one connection, and returns how it ended. Throws when the caller's signal aborts. Closes the
 * connection when the caller stops iterating.
 */
export async function* receive<Item>(parts: ConnectionParts<Item>): AsyncGenerator<Item, Ended, undefined> {
  const limit = createTimeLimit(parts.signal);
  const messages: EventSourceMessage[] = [];
  const onEvent = (message: EventSourceMessage) => void messages.push(message);
  const parser = createParser({ onEvent, onRetry: parts.onRetry, maxBufferSize: eventSizeMax });
  const decoder = new TextDecoder();
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let wasOpen = false;
  try {
    limit.start(parts.timeoutMs);
    reader = (await parts.connect(limit.signal)).getReader();
    for (;;) {
      limit.start(parts.silenceMs);
      const { done, value } = await reader.read().catch(broken);
      limit.pause();
      if (done) return { wasOpen, error: undefined };
      wasOpen = true;
      parser.feed(decoder.decode(value, { stream: true }));
      for (const message of messages.splice(0)) {
        const item = parts.itemOf(message);
        if (item !== undefined) yield item;
      }
    }
  } catch (error) {
    parts.signal?.throwIfAborted();
    return { wasOpen, error: limit.signal.aborted ? limit.signal.reason : error };
  } finally {
    limit.release();
    reader?.cancel().catch(() => undefined);
  }
}

function broken(cause: unknown): never {
  throw new ConnectionError('the connection of the stream broke', cause);
}
