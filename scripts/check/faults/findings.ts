import type { Finding } from '../attacks/finding.js';
import type { Counts } from '../attacks/neighbor-counts.js';

export const unavailable = 'status 503';

/**
 * Returns the findings of a fault. During the fault, a request may fail with 503 or get no response. Acknowledged data
 * must not be lost.
 */
export function findingsOfFault(
  { acknowledged, lost, changes, missing, failures }: Counts,
  excusedStatus?: number,
): Finding[] {
  return [
    { what: 'readings acknowledged', found: acknowledged },
    { what: 'acknowledged readings lost', found: lost, allowed: 0 },
    { what: 'state changes', found: changes },
    { what: 'webhooks missing', found: missing.length, allowed: 0 },
    ...Object.entries(failures).map(([what, found]) => ({
      ...{ what, found },
      ...(isExcused(what) || what === `status ${excusedStatus}` ? {} : { allowed: 0 }),
    })),
  ];
}

/**
 * Returns true for a closed connection or a missing response. The client does not know the outcome in these cases, so
 * it resends the request.
 */
export function isExcused(why: string): boolean {
  return why === unavailable || !why.startsWith('status ');
}
