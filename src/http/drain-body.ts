import type { IncomingMessage } from 'node:http';

/** A client that is still sending sees the response only if the rest of its body is read: within these bounds. */
const bytesMax = 16 * 1_048_576;
const timeMs = 5_000;
/** Pause between two reads of one connection (about 64 KB each), so that a flood of bodies slows nobody down. */
const pauseMs = 10;
/** Connections that are drained at once; the bodies of further ones are not read. */
const drainsMax = 64;
/** Declared bodies up to this size do not cost the connection. */
const smallBytesMax = 65_536;

/** Reads and drops the rest of a body; calls back with true when it was read to its end, false at a bound. */
export type DrainBody = (request: IncomingMessage, done: (isComplete: boolean) => void) => void;

export function createDrainBody(): DrainBody {
  let drains = 0;
  return (request, done) => {
    if (drains >= drainsMax) return done(false);
    drains += 1;
    drain(request, (isComplete) => {
      drains -= 1;
      done(isComplete);
    });
  };
}

/** True while a part of the body has not been read from the connection. */
export function hasUnreadBody(request: IncomingMessage): boolean {
  if (request.complete || request.destroyed) return false;
  return request.headers['transfer-encoding'] !== undefined || declaredBytesOf(request) > 0;
}

/** True where the rest of the body is known to be short, so that the connection can serve the next request. */
export function hasSmallBody(request: IncomingMessage): boolean {
  const { 'transfer-encoding': encoding, expect } = request.headers;
  return encoding === undefined && expect === undefined && declaredBytesOf(request) <= smallBytesMax;
}

function declaredBytesOf({ headers }: IncomingMessage): number {
  return Number(headers['content-length'] ?? 0);
}

function drain(request: IncomingMessage, done: (isComplete: boolean) => void): void {
  const { socket } = request;
  const endsAtMs = performance.now() + timeMs;
  const startBytes = socket.bytesRead;
  let bytes = 0;
  const read = () => {
    bytes += ((request.read() as Buffer | null) ?? '').length;
    if (request.complete || request.destroyed) return done(request.complete);
    const sent = socket.bytesRead - startBytes;
    // Tiny chunks cost far more time than their bytes.
    const isWasteful = sent > smallBytesMax && bytes < sent / 2;
    if (isWasteful || bytes > bytesMax || performance.now() > endsAtMs) return done(false);
    setTimeout(read, pauseMs);
  };
  read();
}
