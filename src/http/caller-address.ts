import type { Request } from 'express';

/**
 * Returns the client's address: the connection's address or, behind trusted proxies (TRUST_PROXY), the address in
 * X-Forwarded-For. Undefined after the connection is closed.
 */
export function callerAddress(request: Request): string | undefined {
  return request.ip;
}
