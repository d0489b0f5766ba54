import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Express, Request, Response } from 'express';
import type { Middleware } from './in-order.js';

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
  readonly header: (name: string) => string | undefined;
  readonly text: string;
}

/** Passes a request through the middleware of the app without a connection. Resolves when the response is complete. */
export function requestWithin(app: Express, { body = '', ...head }: InternalRequest): Promise<InternalResponse> {
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
  const response = new ServerResponse(request);
  return new Promise((resolve) => {
    // Without a connection, no bytes are written. The response is therefore closed when it ends.
    response.end = (chunk?: unknown) => {
      const header = (name: string) => response.getHeader(name)?.toString();
      resolve({ status: response.statusCode, header, text: chunk?.toString() ?? '' });
      response.emit('close');
      return response;
    };
    app(request as Request, response as Response);
  });
}

/**
 * Accepts the caller of an internal request. The request that caused it was authenticated, admitted and counted, so the
 * internal request is not.
 */
export const acceptCaller: Middleware = (request, { locals }, next) => {
  const { caller, scopes } = (request as unknown as InternalRequest).origin;
  Object.assign(locals, { caller, scopes, allowances: [] });
  next();
};
