import type { Schema } from '../contract/contract.js';
import { listOwners, toWhoseKey, type Whose } from '../contract/whose.js';
import type { StreamHead } from '../store/stream-positions.js';
import type { ChangedSession } from '../view/view.js';
import type { EventStream } from './event-stream.js';
import type { Client } from './sink.js';

export interface StreamRequest extends Client {
  readonly whose: Whose;
  readonly type?: Schema<'StreamEventType'> | undefined;
  /** Id of the last event that the client has. Absent: the stream starts with the next new event. */
  readonly lastEventId?: number | undefined;
}

export interface OpenStream {
  readonly request: StreamRequest;
  readonly stream: EventStream;
}

type OpenStreams = ReturnType<typeof createOpenStreams>;

/** The open streams of a process, by account and by whose data they send. */
export function createOpenStreams() {
  const accounts = new Map<string, Map<string, Set<OpenStream>>>();
  const toKey = ({ request: { caller, whose } }: OpenStream) => [caller.accountId, toWhoseKey(whose)] as const;
  const listByAccount = function* (accountId: string): Generator<OpenStream> {
    for (const entries of accounts.get(accountId)?.values() ?? []) yield* entries;
  };
  return {
    add(entry: OpenStream): void {
      const [accountId, key] = toKey(entry);
      const byKey = accounts.get(accountId) ?? new Map<string, Set<OpenStream>>();
      accounts.set(accountId, byKey.set(key, (byKey.get(key) ?? new Set()).add(entry)));
    },
    remove(entry: OpenStream): void {
      const [accountId, key] = toKey(entry);
      const byKey = accounts.get(accountId);
      const entries = byKey?.get(key);
      entries?.delete(entry);
      if (entries?.size === 0) byKey?.delete(key);
      if (byKey?.size === 0) accounts.delete(accountId);
    },
    accountIds: () => [...accounts.keys()],
    hasAccount: (accountId: string) => accounts.has(accountId),
    listByAccount,
    /** Returns the streams that get events of a session, including the streams of its person and of all sessions. */
    *listBySession({ accountId, sessionId, subjectId }: SessionId): Generator<OpenStream> {
      const byKey = accounts.get(accountId);
      if (!byKey) return;
      for (const owner of listOwners(sessionId, subjectId)) yield* byKey.get(toWhoseKey(owner)) ?? [];
    },
    *[Symbol.iterator](): Generator<OpenStream> {
      for (const accountId of accounts.keys()) yield* listByAccount(accountId);
    },
  };
}

export interface SessionId {
  readonly accountId: string;
  readonly sessionId: string;
  /** The person of the session. Absent if the session has none. */
  readonly subjectId?: string | undefined;
}

/** Returns the sessions of readings without duplicates. `subjectIds`: the subject of the session of each reading. */
export function listSessions(
  readings: ReadonlyArray<Omit<SessionId, 'subjectId'>>,
  subjectIds: ReadonlyArray<string | undefined>,
): SessionId[] {
  const named = readings.map(({ accountId, sessionId }, index) => ({
    accountId,
    sessionId,
    subjectId: subjectIds[index],
  }));
  return [...new Map(named.map((it) => [`${it.accountId} ${it.sessionId}`, it])).values()];
}

export interface ChangeQueries {
  readonly findStreamHeads: (accountIds: readonly string[]) => Promise<StreamHead[]>;
  readonly changedSessions: (accountId: string, position: number) => Promise<ChangedSession[]>;
}

/** Finds new readings of any process in the database, and wakes their streams. */
export function createChangeLookup(open: OpenStreams, queries: ChangeQueries) {
  const heads = new Map<string, StreamHead>();
  const waiting = new Set<string>();
  let isRunning = false;

  /** Wakes the streams of an account whose sessions have changed since the previous lookup. */
  async function follow(head: StreamHead): Promise<void> {
    const { accountId, position, erasures } = head;
    const before = heads.get(accountId);
    if (!before || erasures !== before.erasures) {
      for (const { stream } of open.listByAccount(accountId)) stream.wake();
    } else if (position !== before.position) {
      for (const changed of await queries.changedSessions(accountId, before.position))
        for (const { stream } of open.listBySession({ accountId, ...changed })) stream.wake(changed.position);
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
    /** Looks up these accounts. Accounts of calls during a lookup are looked up together afterwards. */
    lookUp(accountIds: Iterable<string>): void {
      for (const accountId of accountIds) if (open.hasAccount(accountId)) waiting.add(accountId);
      // The next poll repeats a failed lookup.
      if (!isRunning) run().catch(() => undefined);
    },
    /** Deletes the positions. Called when no stream is open. */
    clear: (): void => heads.clear(),
  };
}
