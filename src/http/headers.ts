import type { IncomingMessage, ServerResponse } from 'node:http';
import cors from 'cors';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

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
