import { LRUCache } from 'lru-cache';
import { limits } from '../../generated/spec.js';
import type { Grant } from '../contract/grant.js';
import { createGroupCommit } from '../store/group-commit.js';
import { isTransient } from '../store/retry.js';
import { createSessionReader } from '../store/sessions.js';
import type { Store } from '../store/store.js';
import { countRequest, type WindowLimit } from './window-limit.js';

const knownMax = 20_000;
/** Maximum number of sessions per query, and of lookups that wait while the database is slow. */
const [groupMax, queueMax] = [500, 4096];

/** `perKey` counts keys, and the people of OAuth tokens. `perClient` counts OAuth clients, each for all of its people. */
export type NewSessionLimits = Readonly<Record<'perKey' | 'perClient', WindowLimit>>;

/**
 * Admits a reading. The first reading of a session counts against the limit of new sessions of its key. Rejects with
 * RateLimitError when the limit is exceeded. A session that has live readings or was admitted within the window is
 * always admitted. Not called for backfilled readings, which are neither counted nor make a session known.
 */
export type AdmitSession = (caller: Grant, sessionId: string) => Promise<void>;

/**
 * Returns the check for new sessions. It runs before the reading joins a group, so a rejected session stores nothing.
 */
export function createAdmitSession(
  store: Store,
  { perKey, perClient }: NewSessionLimits,
  isOff: boolean,
): AdmitSession {
  if (isOff) return async () => undefined;
  // An erased session counts as new again after its cache entry expires.
  const known = new LRUCache<string, true>({
    max: knownMax,
    ttl: limits.new_sessions.window_seconds * 1000,
    // Otherwise, the cache sets a timer per lookup.
    ttlResolution: 0,
  });
  const inFlight = new Map<string, Promise<void>>();
  // Groups the lookups. Otherwise, each of thousands of simultaneous session starts would wait for a database
  // connection.
  const lookups = createGroupCommit<NamedSession, boolean>({
    commit: (group) => areLive(store, group),
    isOutage: isTransient,
    groupMax,
    queueMax,
  });

  async function admit(caller: Grant, sessionId: string, name: string): Promise<void> {
    const { accountId, keyId } = caller;
    if (!(await lookups.submit({ accountId, sessionId }))) {
      const person = findOAuthPerson(caller);
      // A person above the quota does not use up that of the client.
      const { refusal } = person
        ? await countRequest(
            () => perKey(accountId, 'person', person),
            () => perClient(accountId, keyId),
          )
        : await countRequest(() => perKey(accountId, keyId));
      if (refusal) throw refusal;
    }
    known.set(name, true);
  }

  return async (caller, sessionId) => {
    const name = `${caller.accountId} ${sessionId}`;
    if (known.get(name)) return;
    // Concurrent first readings of one session with the same key and person count as one new session.
    const asked = [caller.keyId, findOAuthPerson(caller), name].join(' ');
    const admission = inFlight.get(asked) ?? admit(caller, sessionId, name).finally(() => inFlight.delete(asked));
    inFlight.set(asked, admission);
    await admission;
  };
}

/** Returns the person of an OAuth token. Undefined for other callers, and for a token of the whole account. */
function findOAuthPerson({ kind, subjectId }: Grant): string | undefined {
  return kind === 'oauth' ? subjectId : undefined;
}

interface NamedSession {
  readonly accountId: string;
  readonly sessionId: string;
}

/** Returns for each session whether it has a reading that is not backfilled. Runs one query per account. */
async function areLive(store: Store, sessions: readonly NamedSession[]): Promise<boolean[]> {
  const found = new Map<string, Set<string>>();
  for (const accountId of new Set(sessions.map((it) => it.accountId))) {
    const ids = sessions.filter((it) => it.accountId === accountId).map(({ sessionId }) => sessionId);
    found.set(accountId, await createSessionReader(store.read(accountId)).live(ids));
  }
  return sessions.map(({ accountId, sessionId }) => found.get(accountId)?.has(sessionId) === true);
}
