import type { Response } from 'express';

/**
 * Express's `json` without its questions: to the settings for a layout, to the type for its charset, to the client for
 * what it has kept. Here the answer to each is always the same.
 */
export function sendJson(this: Response, body: unknown): Response {
  return sendText(this, JSON.stringify(body));
}

/** Sends JSON that has been written already. */
export function sendText(response: Response, json: string): Response {
  if (!response.hasHeader('Content-Type')) response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(json));
  return response.end(json, 'utf8');
}
