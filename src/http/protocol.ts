import type { RequestHandler } from 'express';
import { ProblemError } from '../problem.js';

const versions = ['1.0', '1.1'];

/**
 * Refuses what HTTP does not allow and Node accepts: other versions than 1.0 and 1.1, and an HTTP/1.1 request that does
 * not have exactly one Host header (RFC 9112, 3.2). Proxies could take such a request for another one.
 */
export const requireProtocol: RequestHandler = (request, response, next) => {
  const { httpVersion, rawHeaders } = request;
  const isValid = versions.includes(httpVersion) && hostsOf(rawHeaders) <= 1;
  if (isValid && (httpVersion === '1.0' || request.headers.host !== undefined)) return next();
  response.set('Connection', 'close');
  throw new ProblemError('invalid_payload', { cause: 'protocol' });
};

/** Node keeps the first of several; names and values alternate. */
function hostsOf(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.length === 4 && rawHeaders[index]?.toLowerCase() === 'host') hosts += 1;
  return hosts;
}
