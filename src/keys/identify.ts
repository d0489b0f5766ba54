import { hash, randomInt, randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { personLinks, sources } from '../../generated/spec.js';
import type { Grant, Identify, Identity } from '../contract/grant.js';
import { createGroupCommit } from '../store/group-commit.js';
import type { KeyRow, ListedKey } from '../store/keys.js';
import { isTransient } from '../store/retry.js';
import { createNetworkCheck } from './networks.js';
import type { SessionTokens } from './session-token.js';
import type { StoredGrant } from './stored-grants.js';

/**
 * How long what is stored of a credential is cached, in ms. Every replica rejects a removed credential, or one whose maker
 * was revoked, and applies a changed tier or setting of its account or key, within this time.
 */
const cacheMs = 1_000;
const storedMax = 20_000;
/** Maximum number of credentials in one query, and maximum number of credentials that wait for the next query. */
const groupMax = 500;
const queueMax = 5_000;

export interface GrantsParts {
  /** Returns what is stored under each name, in the order of the names. */
  readonly findGrants: (names: readonly string[]) => Promise<Array<StoredGrant | undefined>>;
  readonly sessionTokens: Pick<SessionTokens, 'verify'>;
  /** Epoch ms. */
  readonly now: () => number;
  readonly onExpiredUse: (key: Pick<ListedKey, 'keyId' | 'account' | 'expiresAtMs'>) => void;
  /** Called for each text in the format of a key. `isCached` is true if the row of the key is in the cache. */
  readonly onLookup?: (isCached: boolean) => void;
}

/** What is stored, with values derived from it. */
interface Known {
  readonly stored: StoredGrant | undefined;
  readonly isFrom: (address: string | undefined) => boolean;
}

const unknown: Identity = { refusal: 'unknown' };
const ofText = '[0-9A-Za-z]{32}$';
/** The form of the text of each stored credential. */
export const forms = {
  key: new RegExp(`^sk_${ofText}`),
  link: new RegExp(`^${personLinks.secret_prefix}${ofText}`),
  // Or the id of the connection of a hub.
  source: new RegExp(`^${sources.key_prefix}${ofText}|^srk_[0-9a-f]{12}$`),
};

/**
 * The grants of credentials. What is not cached is looked up in groups, one query of each kind at a time. A flood of invalid
 * credentials therefore causes only a few queries per second.
 */
export function createGrants({ findGrants, sessionTokens, now, onExpiredUse, onLookup }: GrantsParts) {
  const lookups = createGroupCommit<string, StoredGrant | undefined>({
    commit: findGrants,
    isOutage: isTransient,
    groupMax,
    queueMax,
  });
  const cache = new LRUCache<string, Known>({
    max: storedMax,
    ttl: cacheMs,
    // Otherwise, the cache sets a timer per lookup.
    ttlResolution: 0,
    fetchMethod: async (name) => {
      const stored = await lookups.submit(name);
      return { stored, isFrom: stored?.networks ? createNetworkCheck(stored.networks) : () => true };
    },
  });
  const isEnded = ({ endsAtMs }: Grant) => endsAtMs <= now();

  /** Returns the grant that is stored under a name, also one that has ended. */
  async function find(name: string): Promise<Grant | undefined> {
    return (await cache.fetch(name))?.stored?.grant;
  }

  /** A text that does not have the form of its kind needs no lookup. */
  const identifyStored =
    (kind: keyof typeof forms): Identify =>
    async (text, address) => {
      if (!forms[kind].test(text)) return unknown;
      const name = `${kind} ${hashKey(text)}`;
      const cached = cache.get(name);
      if (kind === 'key') onLookup?.(cached !== undefined);
      const { stored, isFrom } = cached ?? (await cache.fetch(name)) ?? {};
      if (!stored) return unknown;
      const { grant, account } = stored;
      const { keyId, endsAtMs } = grant;
      // A copy, because a request remembers by its grant which sessions it has resolved.
      if (!isEnded(grant)) return isFrom?.(address) ? { grant: { ...grant } } : { refusal: 'network', keyId };
      if (endsAtMs === 0) return { refusal: 'revoked', keyId };
      if (account !== undefined) onExpiredUse({ keyId, account, expiresAtMs: endsAtMs });
      return { refusal: 'expired', keyId };
    };

  /** The key that issued a session token must be valid at the time of the call. */
  const session: Identify = async (token) => {
    const claims = await sessionTokens.verify(token, now()).catch((error: Error) => error);
    if (claims instanceof Error) return { refusal: claims.message };
    const signer = await find(`signer ${claims.accountId} ${claims.keyId}`);
    if (!signer || isEnded(signer)) return { refusal: 'the key that issued the token is revoked or expired' };
    return { grant: { ...signer, ...claims, kind: 'session' } };
  };

  return {
    find,
    identify: { key: identifyStored('key'), link: identifyStored('link'), source: identifyStored('source'), session },
    /** Returns true if an open stream or export may go on. The end of what is stored takes effect within a second. */
    async isValid(grant: Grant): Promise<boolean> {
      if (isEnded(grant)) return false;
      const stored = await find(grant.storedAs);
      return stored !== undefined && !isEnded(stored);
    },
  };
}

export function describeStatus({ revokedAtMs, expiresAtMs }: KeyRow, nowMs: number): 'valid' | 'expired' | 'revoked' {
  if (revokedAtMs !== null) return 'revoked';
  return expiresAtMs !== null && expiresAtMs <= nowMs ? 'expired' : 'valid';
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomCharacters = 32;

/** Returns an unguessable id: the prefix and up to 32 hex characters. */
export function createKeyRecordId(prefix: 'acc' | 'key' | 'aud' | 'srk' | 'lnk', characters: number): string {
  return `${prefix}_${randomUUID().replaceAll('-', '').slice(0, characters)}`;
}

/** Returns a new key: a prefix and 32 random base62 characters, about 190 bits. */
export function generateKey(prefix = 'sk_'): string {
  const random = Array.from({ length: randomCharacters }, () => alphabet[randomInt(alphabet.length)]);
  return `${prefix}${random.join('')}`;
}

/** Returns the SHA-256 of a key in hex. A plain hash is enough, because keys are long and random. */
export function hashKey(key: string): string {
  return hash('sha256', key);
}
