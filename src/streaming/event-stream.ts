import { stream as settings } from '../../generated/spec.js';
import type { Schema } from '../contract/contract.js';
import type { Grant } from '../contract/grant.js';
import type { Names } from '../contract/whose.js';
import { createReplacer } from '../view/grant.js';
import { type Client, drained, type Sink } from './sink.js';
import type { EventPage, PageRequest, StreamEvent } from './stream-page.js';

interface EventStreamParts extends Pick<Client, 'onSent'> {
  readonly sink: Sink;
  /** `after` is the id of the last event that the client has. */
  readonly request: PageRequest;
  /** Type of the events to send. Absent: all types. */
  readonly type?: Schema<'StreamEventType'> | undefined;
  readonly readPage: (request: PageRequest) => Promise<EventPage>;
}

export type EventStream = ReturnType<typeof createEventStream>;

/**
 * Creates a stream. It sends events in order, from a position up to the newest stored event. It reads a page only after
 * the client has read the previous one. A slow client therefore requires only one page of memory, and no client misses
 * or repeats an event.
 */
export function createEventStream({ sink, request, type, readPage, onSent }: EventStreamParts) {
  let { after } = request;
  let incarnation: string | undefined;
  let isReading = false;
  let isStale = false;
  let isEnded = false;
  let blockedSinceMs: number | undefined;

  /** Ends the response. The client then reconnects and continues after its last event. */
  const end = (): void => {
    if (isEnded) return;
    isEnded = true;
    sink.end(`retry: ${retryMs()}\n\n`);
  };
  const send = ({ events, incarnation: current }: EventPage): void => {
    // Ends the stream if the session was erased or has expired, or if the person was erased. A new session or person with
    // the same id is another stream.
    if (incarnation !== undefined && incarnation !== current) return end();
    incarnation = current;
    const sent = events.filter((event) => type === undefined || event.type === type);
    if (sent.length > 0) {
      onSent?.();
      sink.write(sent.map(toText).join(''));
    }
    after = events.at(-1)?.id ?? after;
  };
  const advance = async (): Promise<void> => {
    isReading = true;
    while (isStale && !isEnded) {
      isStale = false;
      const page = await readPage({ ...request, after });
      if (isEnded) break;
      send(page);
      if (page.isFull) isStale = true;
      await drained(sink);
      blockedSinceMs = undefined;
    }
    isReading = false;
  };
  sink.once('close', () => (isEnded = true));
  return {
    /** Sends the events that are stored now. `position` is the newest position, if known. */
    wake(position = Number.POSITIVE_INFINITY): void {
      if (position <= after) return;
      isStale = true;
      // Ends the stream if a page cannot be read. The client reconnects later, when the database may be available.
      if (!isReading) advance().catch(end);
    },
    /** Sends a comment. Closes the connection if the client does not read. */
    beat(): void {
      if (!sink.writableNeedDrain) {
        blockedSinceMs = undefined;
        sink.write(':\n\n');
        return;
      }
      blockedSinceMs ??= performance.now();
      if (performance.now() - blockedSinceMs >= settings.stall_seconds * 1_000) sink.destroy();
    },
    end,
  };
}

/**
 * Returns the first bytes of a stream. They contain an `id`, from which a client can continue that gets no further
 * event.
 */
export function formatReadyEvent(after: number, names: Names, viewer: Grant): string {
  const data = JSON.stringify(names, createReplacer(viewer));
  return `retry: ${settings.retry_ms[0]}\nid: ${after}\nevent: ready\ndata: ${data}\n\n`;
}

function toText({ id, type, data }: StreamEvent): string {
  return `id: ${id}\nevent: ${type}\ndata: ${data}\n\n`;
}

/**
 * Returns a random reconnection delay in ms, so that the clients of an ended process do not reconnect to another
 * process at the same time.
 */
function retryMs(): number {
  const [least, most] = settings.retry_ms;
  return Math.round(least + Math.random() * (most - least));
}
