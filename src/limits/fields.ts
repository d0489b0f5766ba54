import type { Allowance } from './allowance.js';

/**
 * The header fields that tell a client where it stands, as in draft-ietf-httpapi-ratelimit-headers-11: lists of
 * structured field items, the most general limit first. None where no limit applies.
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
