import type { Caller, Schema } from '../contract/contract.js';
import type { EventStream } from './event-stream.js';

export interface StreamRequest {
  readonly caller: Caller;
  readonly sessionId?: string | undefined;
  readonly type?: Schema<'StreamEventType'> | undefined;
  /** Id of the last event that the client has. Absent: the stream starts with the next new event. */
  readonly lastEventId?: number | undefined;
  /** Expiry of the client's token, epoch ms. Absent if the client uses a key. */
  readonly expiresAtMs?: number | undefined;
  /** Called before each part with events. */
  readonly onSent?: () => void;
}

/** An open stream with its request. */
export interface Open {
  readonly request: StreamRequest;
  readonly stream: EventStream;
}

/** The open streams of a process, by account and session. */
export interface OpenStreams extends Iterable<Open> {
  add(entry: Open): void;
  remove(entry: Open): void;
  accountIds(): string[];
  hasAccount(accountId: string): boolean;
  ofAccount(accountId: string): Iterable<Open>;
  /** Returns the streams that get events of a session, including the streams of all sessions. */
  ofSession(accountId: string, sessionId: string): Iterable<Open>;
}

export function createOpenStreams(): OpenStreams {
  /** Session of a stream. Undefined for a stream of all sessions. */
  type Key = string | undefined;
  const accounts = new Map<string, Map<Key, Set<Open>>>();
  const keyOf = ({ request: { caller, sessionId } }: Open) => [caller.accountId, sessionId] as const;
  const find = (accountId: string, sessionId: Key) => accounts.get(accountId)?.get(sessionId) ?? [];
  const ofAccount = function* (accountId: string) {
    for (const entries of accounts.get(accountId)?.values() ?? []) yield* entries;
  };
  return {
    add(entry) {
      const [accountId, sessionId] = keyOf(entry);
      const sessions = accounts.get(accountId) ?? new Map<Key, Set<Open>>();
      accounts.set(accountId, sessions.set(sessionId, (sessions.get(sessionId) ?? new Set()).add(entry)));
    },
    remove(entry) {
      const [accountId, sessionId] = keyOf(entry);
      const sessions = accounts.get(accountId);
      const entries = sessions?.get(sessionId);
      entries?.delete(entry);
      if (entries?.size === 0) sessions?.delete(sessionId);
      if (sessions?.size === 0) accounts.delete(accountId);
    },
    accountIds: () => [...accounts.keys()],
    hasAccount: (accountId) => accounts.has(accountId),
    ofAccount,
    *ofSession(accountId, sessionId) {
      yield* find(accountId, sessionId);
      yield* find(accountId, undefined);
    },
    *[Symbol.iterator]() {
      for (const accountId of accounts.keys()) yield* ofAccount(accountId);
    },
  };
}
