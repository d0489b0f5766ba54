import type { IncomingMessage, ServerResponse } from 'node:http';
import cors from 'cors';
import type { RequestHandler } from 'express';
import helmet from 'helmet';
import { ProblemError } from '../contract/problem.js';

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
const fields: ReadonlyArray<[string, string]> = [...fieldsOf(helmet(policies)), ['Cache-Control', 'no-store']];

export const securityHeaders: RequestHandler = (_request, response, next) => {
  for (const [name, value] of fields) response.setHeader(name, value);
  next();
};

/**
 * Returns the headers that a handler sets. They are constant, so the dozen handlers inside helmet run only once instead
 * of per request.
 */
function fieldsOf(handler: ReturnType<typeof helmet>): Array<[string, string]> {
  const found: Array<[string, string]> = [];
  const response = { setHeader: (name: string, value: string) => found.push([name, value]), removeHeader() {} };
  handler({} as IncomingMessage, response as unknown as ServerResponse, () => undefined);
  return found;
}

/** Allows web pages of these origins to call the API. If there are no origins, responses have no CORS headers. */
export function crossOrigin(origins: readonly string[]): readonly RequestHandler[] {
  if (origins.length === 0) return [];
  return [cors({ origin: [...origins], exposedHeaders, maxAge: preflightSeconds })];
}

const versions = ['1.0', '1.1'];

/**
 * Rejects requests that HTTP forbids but Node accepts: versions other than 1.0 and 1.1, and HTTP/1.1 requests without
 * exactly one Host header (RFC 9112, 3.2). A proxy could interpret such a request differently.
 */
export const requireProtocol: RequestHandler = (request, response, next) => {
  const { httpVersion, rawHeaders } = request;
  const isValid = versions.includes(httpVersion) && listHosts(rawHeaders) <= 1;
  if (isValid && (httpVersion === '1.0' || request.headers.host !== undefined)) return next();
  response.set('Connection', 'close');
  throw new ProblemError('invalid_payload', { cause: 'protocol' });
};

/**
 * Returns the number of Host headers in the raw list of alternating names and values. `headers` contains only the first
 * one.
 */
function listHosts(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.length === 4 && rawHeaders[index]?.toLowerCase() === 'host') hosts += 1;
  return hosts;
}
