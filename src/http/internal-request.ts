import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Express, Request, Response } from 'express';
import type { Middleware } from './in-order.js';
import { written } from './messages.js';

type Origin = Pick<Express.Locals, 'caller' | 'scopes'>;

export interface InternalRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The caller of the request that caused this one. */
  readonly origin: Origin;
}

export interface InternalResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: OutgoingHttpHeaders;
  readonly text: string;
}

/** Passes a request through the middleware of the app without a connection. Resolves when the response is complete. */
export function requestWithin(app: Express, internal: InternalRequest): Promise<InternalResponse> {
  const [request, response] = createMessages(internal);
  return new Promise((resolve) => {
    onEnd(response, resolve);
    app(request, response);
  });
}

export interface StreamListener {
  /** Receives the text of the stream. */
  readonly write: (text: string) => void;
  /** Called when the stream ends, also if the app refuses the request. */
  readonly end: () => void;
}

/**
 * Passes the request for a stream through the middleware of the app. The stream follows `connection`: it waits while the
 * client does not read, and ends with the connection. Resolves with undefined when the stream is open, and with the
 * response if the app refuses the request.
 */
export function streamWithin(
  app: Express,
  internal: InternalRequest,
  connection: ServerResponse,
  { write, end }: StreamListener,
): Promise<InternalResponse | undefined> {
  const [request, response] = createMessages(internal);
  Object.defineProperties(response, {
    destroyed: { get: () => connection.destroyed },
    writableNeedDrain: { get: () => connection.writableNeedDrain },
    write: { value: write },
    destroy: { value: () => connection.destroy() },
  });
  for (const event of ['drain', 'close']) connection.on(event, () => response.emit(event));
  return new Promise((resolve) => {
    onEnd(response, (complete) => {
      resolve(complete);
      end();
    });
    response.once(written, () => resolve(undefined));
    app(request, response);
  });
}

function createMessages({ body = '', ...head }: InternalRequest): [Request, Response] {
  const request: IncomingMessage = Object.assign(new IncomingMessage(new Socket()), head, {
    httpVersion: '1.1',
    complete: true,
  });
  request.headers = {
    host: 'localhost',
    ...head.headers,
    ...(body && { 'content-length': String(Buffer.byteLength(body)) }),
  };
  request.push(body);
  request.push(null);
  return [request as Request, new ServerResponse(request) as Response];
}

function onEnd(response: Response, act: (complete: InternalResponse) => void): void {
  // `response.end` writes no bytes, because there is no connection. The event `close` is therefore emitted here.
  response.end = (chunk?: unknown) => {
    act({ status: response.statusCode, headers: response.getHeaders(), text: chunk?.toString() ?? '' });
    response.emit('close');
    return response;
  };
}

/**
 * Accepts the caller of an internal request. The request that caused it was authenticated, admitted and counted, so the
 * internal request is not.
 */
export const acceptCaller: Middleware = (request, { locals }, next) => {
  const { caller, scopes } = (request as unknown as InternalRequest).origin;
  Object.assign(locals, { caller, scopes });
  next();
};
