import type { RequestHandler } from 'express';
import { ProblemError } from '../problem.js';

const versions = ['1.0', '1.1'];

/**
 * Rejects requests that HTTP forbids but Node accepts: versions other than 1.0 and 1.1, and HTTP/1.1 requests without
 * exactly one Host header (RFC 9112, 3.2). A proxy could interpret such a request differently.
 */
export const requireProtocol: RequestHandler = (request, response, next) => {
  const { httpVersion, rawHeaders } = request;
  const isValid = versions.includes(httpVersion) && hostsOf(rawHeaders) <= 1;
  if (isValid && (httpVersion === '1.0' || request.headers.host !== undefined)) return next();
  response.set('Connection', 'close');
  throw new ProblemError('invalid_payload', { cause: 'protocol' });
};

/**
 * Returns the number of Host headers in the raw list of alternating names and values. `headers` contains only the first
 * one.
 */
function hostsOf(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.length === 4 && rawHeaders[index]?.toLowerCase() === 'host') hosts += 1;
  return hosts;
}
