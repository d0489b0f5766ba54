import type { IncomingMessage, ServerResponse } from 'node:http';
import { clientClosed, Refusal } from './refusal.js';
import { createShares } from './shares.js';

/** Size of all bodies in memory, as a multiple of the largest one. Callers divide it. */
const bodiesMax = 8;
/** First size of a buffer for a body of unknown length, in bytes. */
const firstBytes = 65_536;

/** Reserves memory, or gives it back if the number is negative. Returns false if there is too little. */
export type Reserve = (bytes: number) => boolean;

/** Returns a function that reads a body and runs the work with it. The memory counts for the caller until the work is done. */
export function createWithBody(bytesMax: number) {
  const shares = createShares(bodiesMax * bytesMax);
  return async <T>(
    request: IncomingMessage,
    response: ServerResponse,
    caller: string,
    work: (body: Buffer, reserve: Reserve) => Promise<T>,
  ): Promise<T> => {
    let body = Buffer.alloc(0);
    let size = 0;
    let reserved = 0;
    const reserve: Reserve = (bytes) => {
      const isReserved = shares.take(caller, bytes);
      if (isReserved) reserved += bytes;
      return isReserved;
    };
    /** One buffer grows, because joining many parts of a large body blocks other requests. */
    const grow = (needed: number, wanted: number) => {
      if (needed > bytesMax)
        throw new Refusal(413, 'request_too_large', 'body_too_large', `the body exceeds ${bytesMax} bytes`);
      const bytes = Math.max(needed, Math.min(wanted, bytesMax));
      if (!reserve(bytes - body.length))
        throw new Refusal(503, 'overloaded_error', 'overloaded', 'too many large requests: send the request again');
      const grown = Buffer.allocUnsafe(bytes);
      body.copy(grown, 0, 0, size);
      body = grown;
    };
    const add = (part: Buffer) => {
      if (size + part.length > body.length) grow(size + part.length, Math.max(firstBytes, 2 * size));
      size += part.copy(body, size);
    };
    try {
      grow(Number(request.headers['content-length'] ?? 0), 0);
      if (request.headers.expect !== undefined) response.writeContinue();
      await receive(request, add);
      return await work(body.subarray(0, size), reserve);
    } finally {
      reserve(-reserved);
    }
  };
}

/** Resolves at the end of the body. If `add` throws, the rest stays unread, so that the client gets the error. */
function receive(request: IncomingMessage, add: (part: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    // The client may have left while its key was checked.
    if (request.destroyed) return reject(clientClosed());
    const onData = (part: Buffer) => {
      try {
        add(part);
      } catch (error) {
        request.off('data', onData).pause();
        reject(error as Error);
      }
    };
    request.on('data', onData).once('end', resolve);
    // Not after a complete body, because creating an error is slow.
    request.once('close', () => request.complete || reject(clientClosed()));
  });
}
