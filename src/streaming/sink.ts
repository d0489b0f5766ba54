import type { Grant } from '../contract/grant.js';

/** The part of an HTTP response that a stream or an export writes to. */
export interface Sink {
  readonly destroyed: boolean;
  readonly writableNeedDrain: boolean;
  write(text: string): unknown;
  once(event: 'drain' | 'close', act: () => void): unknown;
  off(event: 'drain' | 'close', act: () => void): unknown;
  end(text?: string): unknown;
  destroy(): unknown;
}

export interface Client {
  readonly caller: Grant;
  /** Called before each part with events or readings. */
  readonly onSent?: (() => void) | undefined;
}

/** What ends a response before its last part. */
export interface ClientChecks {
  /** Resolves with true if the caller's response may go on. The end of a key takes effect within a second. */
  readonly isValid: (caller: Grant) => Promise<boolean>;
}

/** Number of ticks in the time limit `stallMs`. */
const stallTicks = 10;

/**
 * Resolves when the client has received what was written, or when its connection is closed. With `stallMs`, destroys the
 * response of a client that reads nothing for this time. A pause of the process counts as one tenth at most, because
 * what the client read meanwhile is noticed afterwards.
 */
export function drained(sink: Sink, stallMs?: number): Promise<void> {
  if (sink.destroyed || !sink.writableNeedDrain) return Promise.resolve();
  return new Promise((resolve) => {
    let ticks = 0;
    const tick = () => {
      if (++ticks === stallTicks) sink.destroy();
    };
    const timer = stallMs === undefined ? undefined : setInterval(tick, stallMs / stallTicks).unref();
    const settle = () => {
      clearInterval(timer);
      sink.off('drain', settle);
      sink.off('close', settle);
      resolve();
    };
    sink.once('drain', settle);
    sink.once('close', settle);
  });
}
