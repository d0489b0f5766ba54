import type { Request } from 'express';

/**
 * Returns the address that the request comes from: that of the connection or, behind trusted proxies (TRUST_PROXY), the
 * one that they report in X-Forwarded-For. Undefined once the connection is closed.
 */
export function callerAddress(request: Request): string | undefined {
  return request.ip;
}
