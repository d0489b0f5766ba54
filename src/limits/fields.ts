import type { Allowance } from './allowance.js';

/**
 * Returns the RateLimit header fields of draft-ietf-httpapi-ratelimit-headers-11 as lists of structured field items,
 * the most general limit first. Returns no fields when no limit applies.
 */
export function rateLimitFields(allowances: readonly Allowance[]): Record<string, string> {
  if (allowances.length === 0) return {};
  return {
    'RateLimit-Policy': allowances.map(policyItem).join(', '),
    RateLimit: allowances
      .map(({ policy, remaining, resetSeconds }) => `"${policy}";r=${remaining};t=${resetSeconds}`)
      .join(', '),
  };
}

function policyItem({ policy, quota, windowSeconds }: Allowance): string {
  return `"${policy}";q=${quota}${windowSeconds === undefined ? '' : `;w=${windowSeconds}`}`;
}
