import { LRUCache } from 'lru-cache';
import { limits } from '../../generated/spec.js';
import type { Caller } from '../contract.js';
import { createGroupCommit } from '../group-commit.js';
import type { Store } from '../store/store.js';
import { isTransient } from '../store/transient.js';
import { RateLimitError } from './allowance.js';
import type { WindowLimit } from './window-limit.js';

const knownMax = 20_000;
/** Bounds a query, and the questions that wait while the database is slow. */
const [groupMax, queueMax] = [500, 4096];

/**
 * Lets a first reading of a session through when its key may begin another one; rejects with the RateLimitError that
 * refuses it. Readings of sessions that have data, or were let through within the window, pass.
 */
export type AdmitSession = (caller: Caller, sessionId: string) => Promise<void>;

/** Asks before the reading joins a group: a session that is refused leaves nothing behind. */
export function createAdmitSession(store: Store, limit: WindowLimit, isOff: boolean): AdmitSession {
  if (isOff) return async () => undefined;
  // A session that was erased is new again once its name is forgotten here.
  const known = new LRUCache<string, true>({ max: knownMax, ttl: limits.new_sessions.window_seconds * 1000 });
  const underWay = new Map<string, Promise<void>>();
  // Together: of thousands of sessions that begin at once each would wait for a connection of its own.
  const questions = createGroupCommit<NamedSession, boolean>({
    commit: (group) => haveData(store, group),
    isOutage: isTransient,
    groupMax,
    queueMax,
  });

  async function admit({ accountId, keyId }: Caller, sessionId: string, name: string): Promise<void> {
    if (!(await questions.submit({ accountId, sessionId }))) {
      const allowance = await limit(accountId, keyId);
      if (allowance?.isExceeded) throw new RateLimitError(allowance);
    }
    known.set(name, true);
  }

  return async (caller, sessionId) => {
    const name = `${caller.accountId} ${sessionId}`;
    if (known.get(name)) return;
    // Several first readings of one session at once are one new session; each key answers for its own.
    const asked = `${caller.keyId} ${name}`;
    const admission = underWay.get(asked) ?? admit(caller, sessionId, name).finally(() => underWay.delete(asked));
    underWay.set(asked, admission);
    await admission;
  };
}

interface NamedSession {
  readonly accountId: string;
  readonly sessionId: string;
}

/** For each of the sessions whether there is data for it; one query an account. */
async function haveData(store: Store, sessions: readonly NamedSession[]): Promise<boolean[]> {
  const found = new Map<string, Set<string>>();
  for (const accountId of new Set(sessions.map((it) => it.accountId))) {
    const ids = sessions.filter((it) => it.accountId === accountId).map(({ sessionId }) => sessionId);
    found.set(accountId, await store.read(accountId).sessionsWithData(ids));
  }
  return sessions.map(({ accountId, sessionId }) => found.get(accountId)?.has(sessionId) === true);
}
