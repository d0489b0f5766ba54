import { limits, stream as settings } from '../../generated/spec.js';
import type { Grant } from '../contract/grant.js';
import { ProblemError } from '../contract/problem.js';
import { toNames } from '../contract/whose.js';
import { createConcurrencyLimit, computeAccountShare } from '../limits/window-limit.js';
import { createEventStream, formatReadyEvent } from './event-stream.js';
import type { Notifications } from './notifications.js';
import {
  type ChangeQueries,
  createChangeLookup,
  createOpenStreams,
  type OpenStream,
  type SessionId,
  type StreamRequest,
} from './open-streams.js';
import type { ClientChecks, Sink } from './sink.js';
import { type EventPage, type PageRequest, sharePages } from './stream-page.js';

interface StreamsParts extends ChangeQueries, ClientChecks {
  readonly readPage: (request: PageRequest) => Promise<EventPage>;
  /** Turns the notifications about commits of this process on or off. */
  readonly notifyStreams: (isOn: boolean) => Promise<void>;
  /** Notifications between processes. Undefined: only polls find the readings of other processes. */
  readonly notifications?: Notifications | undefined;
  readonly streamsMax: number;
  /** Maximum number of open streams per key. 0 means unlimited. */
  readonly perKeyMax: number;
  /** Time between two comments of a stream, in ms. Tests shorten it. */
  readonly heartbeatMs?: number | undefined;
}

/** Time between two polls in ms. A poll finds the readings of other processes and checks the keys of the streams. */
const pollMs = 1_000;

export type Streams = ReturnType<typeof createStreams>;

/** All streams of this process. */
export function createStreams(parts: StreamsParts) {
  const open = createOpenStreams();
  const changes = createChangeLookup(open, parts);
  const readPage = sharePages(parts.readPage);
  const { policy } = limits.streams;
  const resetSeconds = settings.refused_retry_seconds;
  const limitKey = createConcurrencyLimit({ policy, quota: parts.perKeyMax, resetSeconds });
  const limitAccount = createConcurrencyLimit({ policy, quota: computeAccountShare(parts.streamsMax), resetSeconds });
  /** Number of streams that are open or being opened. */
  let streamCount = 0;
  let isDraining = false;
  let timers: NodeJS.Timeout[] = [];

  const notifyCommits = (isOn: boolean) => void parts.notifyStreams(isOn).catch(() => undefined);
  // Other processes may have streams that wait for the readings of this process.
  if (parts.notifications) notifyCommits(true);
  const start = () => {
    if (parts.notifications) parts.notifications.listen(true);
    else notifyCommits(true);
    const beat = () => {
      for (const { stream } of open) stream.beat();
    };
    const poll = () => {
      changes.lookUp(open.accountIds());
      void endInvalid().catch(() => undefined);
    };
    timers = [
      setInterval(beat, parts.heartbeatMs ?? settings.heartbeat_seconds * 1_000).unref(),
      setInterval(poll, pollMs).unref(),
    ];
  };
  const stop = () => {
    timers.splice(0).forEach(clearInterval);
    changes.clear();
    if (parts.notifications) parts.notifications.listen(false);
    else notifyCommits(false);
  };

  /** Ends the streams whose key or token is no longer valid. */
  async function endInvalid(): Promise<void> {
    const end = async ({ request, stream }: OpenStream) => {
      if (!(await parts.isValid(request.caller))) stream.end();
    };
    await Promise.all([...open].map(end));
  }

  /** Counts a stream. Returns a function that ends it. Throws if the process, the account or the key has too many. */
  function admit({ accountId, keyId }: Grant): () => void {
    if (streamCount >= parts.streamsMax) throw new ProblemError('service_unavailable', { cause: 'too many streams' });
    const entries = [limitAccount(accountId)];
    try {
      entries.push(limitKey(keyId));
    } catch (error) {
      for (const end of entries) end();
      throw error;
    }
    streamCount += 1;
    if (streamCount === 1) start();
    return () => {
      for (const end of entries) end();
      streamCount -= 1;
      if (streamCount === 0) stop();
    };
  }

  return {
    /**
     * Starts a stream. `begin` returns the response after its headers are written. Rejects with a ProblemError, before
     * `begin` is called, if there are too many streams or the database is unavailable.
     */
    async open(request: StreamRequest, begin: () => Sink): Promise<void> {
      const { caller, whose, type } = request;
      const leave = admit(caller);
      try {
        const [head] = await parts.findStreamHeads([caller.accountId]);
        // The newest position includes the state change of the newest reading. A higher id is from another database.
        const newest = head ? head.position + 1 : 0;
        const after = Math.min(request.lastEventId ?? newest, newest);
        const sink = begin();
        // The client has disconnected in the meantime.
        if (sink.destroyed) return leave();
        const from = { caller, whose, after };
        const stream = createEventStream({ sink, request: from, type, readPage, onSent: request.onSent });
        const entry = { request, stream };
        open.add(entry);
        sink.once('close', () => {
          open.remove(entry);
          leave();
        });
        sink.write(formatReadyEvent(after, toNames(whose), caller));
        if (isDraining) stream.end();
        else stream.wake();
      } catch (error) {
        leave();
        throw error;
      }
    },
    /** Wakes the streams of sessions with new readings. */
    wake(sessions: readonly SessionId[]): void {
      const accountIds = new Set<string>();
      for (const session of sessions) {
        accountIds.add(session.accountId);
        for (const { stream } of open.listBySession(session)) stream.wake();
      }
      parts.notifications?.publish(accountIds);
    },
    /** Looks for readings that other processes stored for these accounts, and wakes the affected streams. */
    lookUp: changes.lookUp,
    openCount: () => streamCount,
    /** Ends all streams. Their clients reconnect to another process. */
    drain(): void {
      isDraining = true;
      for (const { stream } of open) stream.end();
    },
    async close(): Promise<void> {
      timers.splice(0).forEach(clearInterval);
    },
  };
}
