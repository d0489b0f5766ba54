import type { Response } from 'express';
import type { ServerResponse } from 'node:http';
import { written } from './messages.js';

/** Calls back once, when the response is sent or its connection is closed. */
export function whenSettled(response: ServerResponse, act: () => unknown): void {
  // A connection that closed during earlier middleware emits no further event.
  if (response.destroyed) act();
  else response.once('close', act);
}

/** Calls back once, when the response is written or settled. The client may still be sending its body. */
export function whenWritten(response: ServerResponse, act: () => void): void {
  response.once(written, act);
  // Only the first call adds a `close` listener. The listener emits `written`, which calls all `act` functions.
  if (response.listenerCount(written) === 1) whenSettled(response, () => response.emit(written));
}

/** Sends text that is already serialized as JSON. The content type may be set. */
export function sendText(response: Response, json: string): void {
  if (!response.hasHeader('Content-Type')) response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(json));
  response.end(json, 'utf8');
}

/** Sends the head of a stream that has no end. Proxies must not buffer or compress it, because they would delay its events. */
export function startStream(response: Response): void {
  response.setHeader('X-Accel-Buffering', 'no');
  response.setHeader('Cache-Control', 'no-store, no-transform');
  response.flushHeaders();
  response.emit(written);
}
