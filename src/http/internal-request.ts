import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Express, Request, Response } from 'express';

export interface InternalRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Address of the client that caused the request. */
  readonly address: string | undefined;
}

export interface InternalResponse {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly text: string;
}

/** Passes a request through the middleware of the app without a connection. Resolves when the response is complete. */
export function requestWithin(
  app: Express,
  { address, body = '', ...head }: InternalRequest,
): Promise<InternalResponse> {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: address });
  const request = Object.assign(new IncomingMessage(socket), head, { httpVersion: '1.1', complete: true });
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
