import { LRUCache } from 'lru-cache';
import { limits } from '../../generated/spec.js';
import type { Caller } from '../contract.js';
import type { Store } from '../store/store.js';
import { RateLimitError } from './allowance.js';
import type { WindowLimit } from './window-limit.js';

const knownMax = 20_000;

/**
 * Lets a first reading of a session through when its key may begin another one; rejects with the RateLimitError that
 * refuses it. Readings of sessions that have data, or were let through within the window, pass.
 */
export type AdmitSession = (caller: Caller, sessionId: string) => Promise<void>;

/** Counts a session that a key begins. */
export type CountNewSession = (accountId: string, keyId: string) => ReturnType<WindowLimit>;

/** Asks before the reading joins a group: a session that is refused leaves nothing behind. */
export function createAdmitSession(store: Store, limit: CountNewSession, isOff: boolean): AdmitSession {
  if (isOff) return async () => undefined;
  // A session that was erased is new again once its name is forgotten here.
  const known = new LRUCache<string, true>({ max: knownMax, ttl: limits.new_sessions.window_seconds * 1000 });
  const underWay = new Map<string, Promise<void>>();

  async function admit({ accountId, keyId }: Caller, sessionId: string, name: string): Promise<void> {
    if (!(await store.read(accountId).hasSession(sessionId))) {
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
