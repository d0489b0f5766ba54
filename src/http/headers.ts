import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import cors from 'cors';
import type { Request, Response } from 'express';
import helmet from 'helmet';
import { createHint, ProblemError } from '../contract/problem.js';

const exposedHeaders = ['X-Request-Id', 'Retry-After', 'RateLimit', 'RateLimit-Policy'];
const preflightSeconds = 600;

/** Content-Security-Policy: browsers load nothing for a JSON response. */
const directives = { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] };
const policies = {
  contentSecurityPolicy: { useDefaults: false, directives },
  // Excludes subdomains, because other hosts of the operator's domain may use plain HTTP.
  strictTransportSecurity: { includeSubDomains: false },
};

/** Security headers for browsers. `no-store` is set because responses contain personal data. */
const fields: ReadonlyArray<[string, string]> = [...readFields(helmet(policies)), ['Cache-Control', 'no-store']];

export function setSecurityHeaders(response: Response): void {
  for (const [name, value] of fields) response.setHeader(name, value);
}

/**
 * Returns the headers that a handler sets. They are constant, so the dozen handlers inside helmet run only once instead
 * of per request.
 */
function readFields(handler: ReturnType<typeof helmet>): Array<[string, string]> {
  const found: Array<[string, string]> = [];
  const response = { setHeader: (name: string, value: string) => found.push([name, value]), removeHeader() {} };
  handler({} as IncomingMessage, response as unknown as ServerResponse, () => undefined);
  return found;
}

/**
 * Allows web pages of these origins to call the API. The returned function adds the CORS headers to a response. It
 * returns true for a preflight request, which it answers. Undefined if there are no origins: responses then have no CORS
 * headers.
 */
export function crossOrigin(
  origins: readonly string[],
): ((request: Request, response: Response) => boolean) | undefined {
  if (origins.length === 0) return undefined;
  const allow = cors({ origin: [...origins], exposedHeaders, maxAge: preflightSeconds });
  return (request, response) => {
    let isAnswered = true;
    // Calls back at once, because the origins are a list.
    allow(request, response, () => (isAnswered = false));
    return isAnswered;
  };
}

/** Moves a key from a header of another name to `X-Service-Key`. Throws a ProblemError for two different keys. */
export function takeKeyHeader(headers: IncomingHttpHeaders, names: readonly string[]): void {
  for (const name of names) {
    const key = headers[name];
    if (!key || name === 'x-service-key') continue;
    if (headers['x-service-key'] && headers['x-service-key'] !== key)
      throw new ProblemError('invalid_api_key', { hint: createHint('two_keys') });
    headers['x-service-key'] = key;
  }
}

const versions = ['1.0', '1.1'];

/**
 * Rejects requests that HTTP forbids but Node accepts: versions other than 1.0 and 1.1, and HTTP/1.1 requests without
 * exactly one Host header (RFC 9112, 3.2). A proxy could interpret such a request differently.
 */
export function requireProtocol(request: Request, response: Response): void {
  const { httpVersion, headersDistinct } = request;
  const hosts = headersDistinct['host']?.length ?? 0;
  if (hosts === 1 && versions.includes(httpVersion)) return;
  if (hosts === 0 && httpVersion === '1.0') return;
  response.set('Connection', 'close');
  throw new ProblemError('invalid_payload', { cause: 'protocol' });
}
