import type { Response } from 'express';

/**
 * Sends a body as JSON. Replaces Express's `json`, which also looks up formatting settings, parses the content type and
 * checks the client's cached copy. None of them changes a response of this service.
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
