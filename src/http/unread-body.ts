import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Limits for the rest of a body that is read, in bytes and ms. A client that is still sending reads the response only
 * afterwards.
 */
const bytesMax = 16 * 1_048_576;
const timeMs = 5_000;
/**
 * Pause between two reads of one connection (about 64 KB each), ms. It prevents many large bodies from slowing other
 * requests.
 */
const pauseMs = 10;
/** Maximum number of connections that are drained concurrently. Further bodies are not read. */
const drainsMax = 64;
/** Maximum declared size of a body after which the connection stays open, in bytes. */
const smallBytesMax = 65_536;

/**
 * Reads and discards the rest of a body. Calls back with true at the end of the body, and with false when a limit is
 * reached.
 */
type DrainBody = (request: IncomingMessage, done: (isComplete: boolean) => void) => void;

/**
 * Writes a response and ends it after the rest of the request's body, so that a client that is still sending gets it.
 * Returns false, and does nothing, if the body is read.
 */
export type EndAfterBody = (response: ServerResponse, write: () => void, end: () => void) => boolean;

/** The returned functions share the limit of drained connections. */
export function createEndAfterBody(): EndAfterBody {
  const drainBody = createDrainBody();
  return (response, write, end) => {
    const { req: request } = response;
    if (!hasUnreadBody(request)) return false;
    if (!response.headersSent && !hasSmallBody(request)) response.setHeader('Connection', 'close');
    write();
    drainBody(request, (isComplete) => {
      end();
      if (isComplete) request.resume();
      else request.socket.destroySoon();
    });
    return true;
  };
}

function createDrainBody(): DrainBody {
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

/** Returns true while a part of the body has not been read from the connection. */
function hasUnreadBody(request: IncomingMessage): boolean {
  if (request.complete || request.destroyed) return false;
  return request.headers['transfer-encoding'] !== undefined || declaredBytesOf(request) > 0;
}

/** Returns true if the rest of the body is known to be short. The connection can then serve the next request. */
function hasSmallBody(request: IncomingMessage): boolean {
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
    // Many tiny chunks cost far more CPU time than their size suggests.
    const isWasteful = sent > smallBytesMax && bytes < sent / 2;
    if (isWasteful || bytes > bytesMax || performance.now() > endsAtMs) return done(false);
    setTimeout(read, pauseMs);
  };
  read();
}
