import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createStateClient, type StateClient } from '../../../packages/client/src/index.js';

/** Number of streams of the whole account, in addition to one stream per session. */
const accountFollowers = 3;
/** Maximum wait for missing events, ms. Longer than the service needs to recover and the clients need to reconnect. */
const catchUpMs = 60_000;
const lookMs = 50;
const settleMs = 1_000;

/** Events that the clients received, compared with the events of a new stream. */
export interface Followed {
  readonly events: number;
  /** State changes in the events of a new stream. */
  readonly changes: number;
  readonly missed: number;
  readonly repeated: number;
  readonly reconnects: number;
}

export interface Followers {
  /**
   * Waits until every client has all stored events. Then compares the events that each client received with those that a new
   * stream sends. The service must run without other load.
   */
  compare(): Promise<Followed>;
  stop(): void;
}

/** Events that one client received. */
interface Follower {
  /** Session of the stream. Undefined: all sessions of the account. */
  readonly sessionId: string | undefined;
  /** Ids of the events with their types and sessions, in order of arrival. */
  readonly events: Array<{ readonly id: string; readonly type: string; readonly sessionId: string }>;
  /** Newest timestamp by session. */
  readonly newest: Map<string, string>;
}

/**
 * Starts clients that follow the streams and reconnect after each interruption. Resolves when all clients are
 * connected.
 */
export async function startFollowers(url: string, key: string, sessionIds: readonly string[]): Promise<Followers> {
  const client = createStateClient({ baseUrl: url, key });
  const stopping = new AbortController();
  // The number of listeners is unlimited, because each stream adds one.
  setMaxListeners(0, stopping.signal);
  let reconnects = 0;
  let failure: unknown;
  const start = (sessionId?: string, lastEventId?: string) => {
    const follower: Follower = { sessionId, events: [], newest: new Map() };
    const options = {
      ...(sessionId !== undefined && { sessionId }),
      ...(lastEventId !== undefined && { lastEventId }),
    };
    const connected = new Promise<void>((resolve, reject) => {
      const onDisconnect = () => void (reconnects += 1);
      const stream = client.stream(
        { ...options, onDisconnect },
        { signal: stopping.signal, onResponse: () => resolve() },
      );
      record(follower, stream).catch((error: unknown) => {
        if (!stopping.signal.aborted) failure ??= error;
        reject(error);
      });
    });
    return { follower, connected };
  };
  const started = [...sessionIds, ...Array<undefined>(accountFollowers)].map((sessionId) => start(sessionId));
  await Promise.all(started.map(({ connected }) => connected));
  return {
    async compare() {
      const last = await sendLast(client, sessionIds);
      const reference = start(undefined, '0').follower;
      const followers = started.map(({ follower }) => follower);
      const endsAtMs = Date.now() + catchUpMs;
      const isComplete = (it: Follower) => [...last].every(([id, at]) => !covers(it, id) || it.newest.get(id) === at);
      while (![reference, ...followers].every(isComplete) && Date.now() < endsAtMs && failure === undefined)
        await sleep(lookMs);
      if (failure !== undefined) throw failure;
      // Waits for the state change, which arrives after the reading that caused it.
      await sleep(settleMs);
      const counts = followers.map((it) => countDifferences(it, reference));
      const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
      return {
        events: sum(followers.map(({ events }) => events.length)),
        changes: reference.events.filter(({ type }) => type === 'state_change').length,
        missed: sum(counts.map(({ missed }) => missed)),
        repeated: sum(counts.map(({ repeated }) => repeated)),
        reconnects,
      };
    },
    stop: () => stopping.abort(),
  };
}

async function record({ events, newest }: Follower, stream: ReturnType<StateClient['stream']>): Promise<void> {
  for await (const { id, type, data } of stream) {
    events.push({ id, type, sessionId: data.session_id });
    newest.set(data.session_id, data.timestamp);
  }
}

/**
 * Sends a last reading to every session. Its event comes after all other events of the session. Returns the timestamps.
 */
async function sendLast(client: StateClient, sessionIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const last = new Map<string, string>();
  for (const session_id of sessionIds) {
    const timestamp = new Date().toISOString();
    await client.ingest({ session_id, timestamp, heart_rate: 70 });
    last.set(session_id, timestamp);
  }
  return last;
}

function covers(follower: Follower, sessionId: string): boolean {
  return follower.sessionId === undefined || follower.sessionId === sessionId;
}

function countDifferences(follower: Follower, reference: Follower): Pick<Followed, 'missed' | 'repeated'> {
  const received = new Set(follower.events.map(({ id }) => id));
  const expected = reference.events.filter(({ sessionId }) => covers(follower, sessionId));
  const missed = expected.filter(({ id }) => !received.has(id)).length;
  return { missed, repeated: follower.events.length - received.size };
}
