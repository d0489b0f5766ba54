/** The bytes that pass through the gateway. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Advice } from './advisor.js';
import type { Api } from './apis.js';
import { isStream } from './headers.js';
import { clientClosed } from './refusal.js';
import { collectText } from './response-text.js';

const joinedBytesMax = 1_000_000;

/** Joins the parts of a small body, which is faster. Joining a large body would block other requests. */
export function joinBody(parts: readonly Buffer[], headers: IncomingHttpHeaders) {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const [whole = null] = parts.length > 1 && length <= joinedBytesMax ? [Buffer.concat(parts)] : parts;
  if (parts.length === 1 || length <= joinedBytesMax) return { headers, body: length > 0 ? whole : null };
  return { headers: { ...headers, 'content-length': String(length) }, body: Readable.from(parts) };
}

/** Forwards the body without buffering. Afterwards, sends the turn if the response is complete. */
export async function forwardBody(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  response: ServerResponse,
  api: Api | undefined,
  { completeTurn }: Advice,
): Promise<void> {
  const isRead = statusCode === 200 && headers['content-encoding'] === undefined;
  const text = api && completeTurn && isRead ? collectText(api, String(headers['content-type'])) : undefined;
  // A short response is one write to the socket.
  if (!isStream(headers)) response.cork();
  // `pipeline` costs several times as much, and half of its cost is an error for its own signal.
  await new Promise<void>((resolve, reject) => {
    response.once('close', () => (response.writableFinished ? resolve() : reject(clientClosed())));
    if (response.closed) return reject(clientClosed());
    body.once('error', reject).once('end', () => response.end());
    response.on('drain', () => body.resume());
    body.on('data', (chunk: Buffer) => {
      text?.add(chunk);
      if (response.write(chunk)) return;
      body.pause();
      // Since Node.js 22, one call too many holds all further chunks back.
      if (response.writableCorked > 0) response.uncork();
    });
  });
  const answer = text?.end();
  if (answer !== undefined) completeTurn?.(answer);
}
