import type { Response } from 'express';

/**
 * Replaces Express's `json`. Skips its lookup of formatting settings, its parsing of the content type and its check of
 * the client's cached copy: the result is the same for every response of this service.
 */
export function sendJson(this: Response, body: unknown): Response {
  return sendText(this, JSON.stringify(body));
}

/** Sends text that is already serialized as JSON. */
export function sendText(response: Response, json: string): Response {
  if (!response.hasHeader('Content-Type')) response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(json));
  return response.end(json, 'utf8');
}
