import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';

/**
 * Event that is emitted when a response is written. The response may end later, after the rest of the request's body is
 * read.
 */
export const writtenEvent = 'written';

type Act = () => unknown;

/** What to call when a response is settled or written, so that each response has one listener per event. */
const settling = new WeakMap<ServerResponse, Act[]>();
const writing = new WeakMap<ServerResponse, Act[]>();

/** Calls back once, when the response is sent or its connection is closed. */
export function whenSettled(response: ServerResponse, act: Act): void {
  // A connection that closed during earlier middleware emits no further event.
  if (response.destroyed) act();
  else callOnce(settling, response, 'close', act);
}

/** Calls back once, when the response is written or settled. The client may still be sending its body. */
export function whenWritten(response: ServerResponse, act: Act): void {
  const isFirst = callOnce(writing, response, writtenEvent, act);
  if (isFirst) whenSettled(response, () => response.emit(writtenEvent));
}

/** Calls all functions for the same event in order. Returns true for the first one. */
function callOnce(all: WeakMap<ServerResponse, Act[]>, response: ServerResponse, event: string, act: Act): boolean {
  const waiting = all.get(response);
  if (waiting) return waiting.push(act) === 0;
  const acts = [act];
  all.set(response, acts);
  response.once(event, () => {
    all.delete(response);
    for (const it of acts) it();
  });
  return true;
}

const slowRequests = new WeakSet<IncomingMessage>();

/** Exempts a request from the time limit for bodies. The caller has a limit of its own. */
export function allowSlowBody(request: IncomingMessage): void {
  slowRequests.add(request);
}

/** Returns true if `allowSlowBody` exempted the request. */
export function mayArriveSlowly(request: IncomingMessage): boolean {
  return slowRequests.has(request);
}

/**
 * Returns classes whose instances have the prototypes that the app expects. Otherwise, Express replaces the prototype
 * of every request and response. V8 then rebuilds each object, which doubles the cost of Express.
 */
export function createMessageClasses(app: Express) {
  const endAfterBody = createEndAfterBody();
  class AppRequest extends IncomingMessage {}
  class AppResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
    /** Writes the response. Reads the rest of the request's body before the response ends. */
    override end(...args: unknown[]): this {
      const isUnread = endAfterBody(
        this,
        () => writeWhole(this, args),
        () => super.end(),
      );
      return isUnread ? this : (super.end(...(args as Parameters<ServerResponse['end']>)) as this);
    }
  }
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  Object.assign(app, { request: AppRequest.prototype, response: AppResponse.prototype });
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

/** Writes the arguments of `end`: nothing, or bytes with their encoding. */
function writeWhole(response: ServerResponse, [chunk, encoding]: readonly unknown[]): void {
  response.flushHeaders();
  if (chunk !== undefined) response.write(chunk, (encoding as BufferEncoding | undefined) ?? 'utf8');
  response.emit(writtenEvent);
}

/** Limit for the rest of a body that is read, in bytes. A client that is still sending reads the response only afterwards. */
const bytesMax = 16 * 1_048_576;
/**
 * Pause between two reads of one connection (about 64 KB each), in ms. It prevents many large bodies from slowing other
 * requests.
 */
const pauseMs = 10;
/** Maximum number of reads: five seconds on an idle machine. A busy process reads later, which is no fault of the client. */
const readsMax = 500;
/** Maximum number of connections that are drained concurrently. Further bodies are not read. */
const drainsMax = 64;
/** Maximum declared size of a body after which the connection stays open, in bytes. */
const smallBytesMax = 65_536;

/**
 * Writes a response and ends it after the rest of the request's body, so that a client that is still sending gets it.
 * Returns false, and does nothing, if the body is read.
 */
export type EndAfterBody = (response: ServerResponse, write: () => void, end: () => void) => boolean;

/** Creates a function whose calls share the limit of drained connections. */
export function createEndAfterBody(): EndAfterBody {
  let drains = 0;
  return (response, write, end) => {
    const { req: request } = response;
    if (!hasUnreadBody(request)) return false;
    if (!response.headersSent && !hasSmallBody(request)) response.setHeader('Connection', 'close');
    write();
    const finish = (isComplete: boolean) => {
      drains -= 1;
      end();
      if (isComplete) request.resume();
      else request.socket.destroySoon();
    };
    drains += 1;
    if (drains > drainsMax) finish(false);
    else drain(request, finish);
    return true;
  };
}

/** Returns true while a part of the body has not been read from the connection. */
function hasUnreadBody(request: IncomingMessage): boolean {
  if (request.complete || request.destroyed) return false;
  return request.headers['transfer-encoding'] !== undefined || readDeclaredBytes(request) > 0;
}

/** Returns true if the rest of the body is known to be short. The connection can then serve the next request. */
function hasSmallBody(request: IncomingMessage): boolean {
  const { 'transfer-encoding': encoding, expect } = request.headers;
  return encoding === undefined && expect === undefined && readDeclaredBytes(request) <= smallBytesMax;
}

function readDeclaredBytes({ headers }: IncomingMessage): number {
  return Number(headers['content-length'] ?? 0);
}

/** Reads and discards the rest of a body. Calls back with false when a limit is reached. */
function drain(request: IncomingMessage, done: (isComplete: boolean) => void): void {
  const { socket } = request;
  const startBytes = socket.bytesRead;
  let [bytes, reads] = [0, 0];
  const read = () => {
    reads += 1;
    bytes += ((request.read() as Buffer | null) ?? '').length;
    if (request.complete || request.destroyed) return done(request.complete);
    const sent = socket.bytesRead - startBytes;
    // Many tiny chunks cost far more CPU time than their size suggests.
    const isWasteful = sent > smallBytesMax && bytes < sent / 2;
    if (isWasteful || bytes > bytesMax || reads >= readsMax) return done(false);
    setTimeout(read, pauseMs);
  };
  read();
}
