import type { Scope, TokenIdentity } from '../contract.js';
import type { ListedKey } from '../store/keys.js';
import type { SessionTokens } from '../tokens/session-token.js';

export interface IdentifyTokenParts {
  readonly sessionTokens: SessionTokens;
  /** Returns the key that issued a token, at most a second old. Undefined if it does not exist. */
  readonly findKey: (accountId: string, keyId: string) => Promise<ListedKey | undefined>;
  /** Epoch ms. */
  readonly now: () => number;
}

/** Returns a function that finds the caller of a session token. Its key must be valid now. */
export function createIdentifyToken({ sessionTokens, findKey, now }: IdentifyTokenParts) {
  return async (token: string): Promise<TokenIdentity> => {
    const claims = await sessionTokens.verify(token, now()).catch((error: Error) => error);
    if (claims instanceof Error) return { refusal: claims.message };
    const { accountId, keyId, sessionId, scopes, expiresAtMs } = claims;
    const key = await findKey(accountId, keyId);
    if (!key || key.revokedAtMs !== null) return { refusal: 'its key is revoked' };
    if (key.expiresAtMs !== null && now() >= key.expiresAtMs) return { refusal: 'its key is expired' };
    const caller = { accountId, keyId, tier: key.tier };
    return { caller, scopes: new Set<Scope>(scopes), sessionId, expiresAtMs };
  };
}
