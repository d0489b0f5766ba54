import cors from 'cors';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

const exposedHeaders = ['X-Request-Id', 'Retry-After', 'RateLimit', 'RateLimit-Policy'];
const preflightSeconds = 600;

/** JSON needs nothing of a browser. */
const directives = { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] };

/** Headers that keep browsers from doing what an API never wants, and every cache from keeping what is about a person. */
export const securityHeaders: readonly RequestHandler[] = [
  helmet({ contentSecurityPolicy: { useDefaults: false, directives } }),
  (_request, response, next) => {
    response.set('Cache-Control', 'no-store');
    next();
  },
];

/** Lets web pages of these origins call, and of no others; without any, browsers are told nothing at all. */
export function crossOrigin(origins: readonly string[]): readonly RequestHandler[] {
  if (origins.length === 0) return [];
  return [cors({ origin: [...origins], exposedHeaders, maxAge: preflightSeconds })];
}
