import { limits, stream as settings } from '../../generated/spec.js';
import type { Caller, Schema } from '../contract.js';
import { RateLimitError } from '../limits/allowance.js';
import { ProblemError } from '../problem.js';
import type { ChangedSession } from '../store/stream-readings.js';
import type { StreamHead } from '../store/stream-positions.js';
import { createEventStream, type EventStream, readyText, type Sink } from './event-stream.js';
import type { Page, PageRequest } from './page.js';

export interface StreamsParts {
  readonly readPage: (request: PageRequest) => Promise<Page>;
  readonly findStreamHeads: (accountIds: readonly string[]) => Promise<StreamHead[]>;
  readonly changedSessions: (accountId: string, position: number) => Promise<ChangedSession[]>;
  /** Starts or stops the notifications about commits of this process. */
  readonly notifyStreams: (isOn: boolean) => Promise<void>;
  /** Whether the key may still be used, at most a second late. */
  readonly isKeyValid: (accountId: string, keyId: string) => Promise<boolean>;
  readonly now: () => number;
  readonly streamsMax: number;
  /** Per key. 0: unlimited. */
  readonly perKeyMax: number;
  /** Replaces the time between two comments, for tests. */
  readonly heartbeatMs?: number | undefined;
}

export interface StreamRequest {
  readonly caller: Caller;
  readonly sessionId?: string | undefined;
  readonly type?: Schema<'StreamEventType'> | undefined;
  /** Id of the last event that the client has. Absent: the stream starts now. */
  readonly lastEventId?: number | undefined;
  /** When the client's token expires, epoch ms. Absent for a key. */
  readonly expiresAtMs?: number | undefined;
}

interface Open {
  readonly request: StreamRequest;
  readonly stream: EventStream;
}

/** All streams of this process. */
export interface Streams {
  /**
   * Starts a stream. `begin` returns the response, with its headers written. Rejects with a ProblemError before that if
   * there are too many streams or the database is unavailable.
   */
  open(request: StreamRequest, begin: () => Sink): Promise<void>;
  /** Wakes the streams of sessions with new readings, each as account and session, separated by a space. */
  wake(sessions: readonly string[]): void;
  /** Ends all streams. Their clients connect again. */
  drain(): void;
  close(): Promise<void>;
}

/** How often the database is asked for readings of other processes, and keys are checked. */
const pollMs = 1_000;

export function createStreams(parts: StreamsParts): Streams {
  const open = new Set<Open>();
  const perKey = new Map<string, number>();
  const heads = new Map<string, StreamHead>();
  /** Open streams and those that are being opened. */
  let streamCount = 0;
  let isDraining = false;
  let timers: NodeJS.Timeout[] = [];

  const count = (keyId: string, change: 1 | -1) => {
    streamCount += change;
    const streams = (perKey.get(keyId) ?? 0) + change;
    if (streams > 0) perKey.set(keyId, streams);
    else perKey.delete(keyId);
    if (streamCount === 1 && change === 1) start();
    if (streamCount === 0) stop();
  };
  const start = () => {
    void parts.notifyStreams(true).catch(() => undefined);
    const beat = () => open.forEach(({ stream }) => stream.beat());
    const check = () => void poll().catch(() => undefined);
    timers = [
      setInterval(beat, parts.heartbeatMs ?? settings.heartbeat_seconds * 1_000).unref(),
      setInterval(check, pollMs).unref(),
    ];
  };
  const stop = () => {
    timers.splice(0).forEach(clearInterval);
    heads.clear();
    void parts.notifyStreams(false).catch(() => undefined);
  };
  const ofAccount = (accountId: string) => [...open].filter(({ request }) => request.caller.accountId === accountId);

  async function poll(): Promise<void> {
    await endInvalid();
    const accountIds = [...new Set([...open].map(({ request }) => request.caller.accountId))];
    if (accountIds.length > 0) for (const head of await parts.findStreamHeads(accountIds)) await follow(head);
  }

  /** Wakes the streams of an account for what has changed since the previous poll. */
  async function follow(head: StreamHead): Promise<void> {
    const { accountId, position, erasures } = head;
    const before = heads.get(accountId);
    const streams = ofAccount(accountId);
    if (!before || erasures !== before.erasures) streams.forEach(({ stream }) => stream.wake());
    else if (position !== before.position) {
      const changed = await parts.changedSessions(accountId, before.position);
      const newest = new Map(changed.map((it) => [it.sessionId, it.position]));
      for (const { request, stream } of streams) {
        const at = request.sessionId === undefined ? position : newest.get(request.sessionId);
        if (at !== undefined) stream.wake(at);
      }
    }
    heads.set(accountId, head);
  }

  /** Ends the streams whose key or token is no longer valid. */
  async function endInvalid(): Promise<void> {
    const keys = new Map([...open].map(({ request: { caller } }) => [caller.keyId, caller]));
    const ended = new Set<string>();
    for (const { accountId, keyId } of keys.values()) if (!(await parts.isKeyValid(accountId, keyId))) ended.add(keyId);
    for (const { request, stream } of open) {
      const { caller, expiresAtMs = Number.POSITIVE_INFINITY } = request;
      if (ended.has(caller.keyId) || parts.now() >= expiresAtMs) stream.end();
    }
  }

  /** Throws when the process or the key has too many streams. */
  function admit({ keyId }: Caller): void {
    if (streamCount >= parts.streamsMax) throw new ProblemError('service_unavailable', { cause: 'too many streams' });
    const quota = parts.perKeyMax;
    if (quota === 0 || (perKey.get(keyId) ?? 0) < quota) return;
    const resetSeconds = settings.refused_retry_seconds;
    throw new RateLimitError({ policy: limits.streams.policy, quota, remaining: 0, resetSeconds, isExceeded: true });
  }

  return {
    async open(request, begin) {
      const { caller, sessionId, type } = request;
      admit(caller);
      count(caller.keyId, 1);
      try {
        const [head] = await parts.findStreamHeads([caller.accountId]);
        // The head includes the state change of its reading. An id beyond it is of another database.
        const newest = head ? head.position + 1 : 0;
        const after = Math.min(request.lastEventId ?? newest, newest);
        const sink = begin();
        // The client has disconnected.
        if (sink.destroyed) return count(caller.keyId, -1);
        const from = { accountId: caller.accountId, ...(sessionId !== undefined && { sessionId }), after };
        const stream = createEventStream({ sink, request: from, type, readPage: parts.readPage });
        const entry = { request, stream };
        open.add(entry);
        sink.once('close', () => {
          open.delete(entry);
          count(caller.keyId, -1);
        });
        sink.write(readyText(after, sessionId));
        if (isDraining) stream.end();
        else stream.wake();
      } catch (error) {
        count(caller.keyId, -1);
        throw error;
      }
    },
    wake(sessions) {
      const changed = new Set(sessions);
      const accounts = new Set(sessions.map((it) => it.slice(0, it.indexOf(' '))));
      for (const { request, stream } of open) {
        const { caller, sessionId } = request;
        const isChanged =
          sessionId === undefined ? accounts.has(caller.accountId) : changed.has(`${caller.accountId} ${sessionId}`);
        if (isChanged) stream.wake();
      }
    },
    drain() {
      isDraining = true;
      open.forEach(({ stream }) => stream.end());
    },
    async close() {
      timers.splice(0).forEach(clearInterval);
    },
  };
}
