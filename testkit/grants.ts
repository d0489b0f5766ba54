import type { Grant } from '../src/contract/grant.js';

/** Returns the grant of an API key of an account. With other parts, that of another credential. */
export function grantOf(accountId = 'acc_1', parts: Partial<Grant> = {}): Grant {
  const rest = { keyId: 'key_1', storedAs: 'key', tier: 'solo', scopes: [], endsAtMs: Infinity } as const;
  return { kind: 'key', accountId, ...rest, ...parts };
}
