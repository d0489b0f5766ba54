import { lookup, type LookupAddress } from 'node:dns';

/** The addresses of a name; none where it does not resolve in time. */
export function resolveName(hostname: string, timeoutMs: number): Promise<LookupAddress[]> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve([]), timeoutMs);
    lookup(hostname, { all: true }, (error, found) => {
      clearTimeout(timer);
      resolve(error ? [] : found);
    });
  });
}
