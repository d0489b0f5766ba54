import type { StreamHead } from '../store/stream-positions.js';
import type { ChangedSession } from '../store/readings-by-position.js';
import type { OpenStreams } from './open-streams.js';

export interface ChangeQueries {
  readonly findStreamHeads: (accountIds: readonly string[]) => Promise<StreamHead[]>;
  readonly changedSessions: (accountId: string, position: number) => Promise<ChangedSession[]>;
}

/** Finds new readings of any process in the database, and wakes their streams. */
export interface ChangeLookup {
  /** Looks up these accounts. Accounts of calls during a lookup are looked up together afterwards. */
  lookUp(accountIds: Iterable<string>): void;
  /** Deletes the positions. Called when no stream is open. */
  clear(): void;
}

export function createChangeLookup(open: OpenStreams, queries: ChangeQueries): ChangeLookup {
  const heads = new Map<string, StreamHead>();
  const waiting = new Set<string>();
  let isRunning = false;

  /** Wakes the streams of an account whose sessions have changed since the previous lookup. */
  async function follow(head: StreamHead): Promise<void> {
    const { accountId, position, erasures } = head;
    const before = heads.get(accountId);
    if (!before || erasures !== before.erasures) {
      for (const { stream } of open.ofAccount(accountId)) stream.wake();
    } else if (position !== before.position) {
      for (const changed of await queries.changedSessions(accountId, before.position))
        for (const { stream } of open.ofSession(accountId, changed.sessionId)) stream.wake(changed.position);
    }
    heads.set(accountId, head);
  }

  async function run(): Promise<void> {
    isRunning = true;
    try {
      while (waiting.size > 0) {
        const accountIds = [...waiting];
        waiting.clear();
        for (const head of await queries.findStreamHeads(accountIds)) await follow(head);
      }
    } finally {
      isRunning = false;
    }
  }

  return {
    lookUp(accountIds) {
      for (const accountId of accountIds) if (open.hasAccount(accountId)) waiting.add(accountId);
      // The next poll repeats a failed lookup.
      if (!isRunning) run().catch(() => undefined);
    },
    clear: () => heads.clear(),
  };
}
