import type { IncomingMessage, ServerResponse } from 'node:http';
import cors from 'cors';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

const exposedHeaders = ['X-Request-Id', 'Retry-After', 'RateLimit', 'RateLimit-Policy'];
const preflightSeconds = 600;

/** JSON needs nothing of a browser. */
const directives = { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] };
const policies = {
  contentSecurityPolicy: { useDefaults: false, directives },
  // Other hosts of the operator's domain may serve http.
  strictTransportSecurity: { includeSubDomains: false },
};

/** Headers that keep browsers from doing what an API never wants, and every cache from keeping what is about a person. */
const fields: ReadonlyArray<[string, string]> = [...fieldsOf(helmet(policies)), ['Cache-Control', 'no-store']];

export const securityHeaders: RequestHandler = (_request, response, next) => {
  for (const [name, value] of fields) response.setHeader(name, value);
  next();
};

/** What the handler sets, found out once: it is a dozen handlers, and what they set is always the same. */
function fieldsOf(handler: ReturnType<typeof helmet>): Array<[string, string]> {
  const found: Array<[string, string]> = [];
  const response = { setHeader: (name: string, value: string) => found.push([name, value]), removeHeader() {} };
  handler({} as IncomingMessage, response as unknown as ServerResponse, () => undefined);
  return found;
}

/** Lets web pages of these origins call, and of no others; without any, browsers are told nothing at all. */
export function crossOrigin(origins: readonly string[]): readonly RequestHandler[] {
  if (origins.length === 0) return [];
  return [cors({ origin: [...origins], exposedHeaders, maxAge: preflightSeconds })];
}
