import type { Response } from 'express';

/**
 * Express's `json` without its questions: to the settings for a layout, to the type for its charset, to the client for
 * what it has kept. Here the answer to each is always the same.
 */
export function sendJson(this: Response, body: unknown): Response {
  const text = JSON.stringify(body);
  if (!this.hasHeader('Content-Type')) this.setHeader('Content-Type', 'application/json; charset=utf-8');
  this.setHeader('Content-Length', Buffer.byteLength(text));
  return this.end(text, 'utf8');
}
