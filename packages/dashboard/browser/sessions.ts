import { history as trend } from '../../../generated/spec.js';
import type {
  SessionFilter,
  SessionState,
  SessionStateCounts,
  SessionSummary,
  StateReading,
} from '../../client/src/index.js';
import type { Value } from './chart/plot.js';
import { findCause } from '../../score/cause.js';
import { hasEnded, shownState, sum } from '../../ui/format.js';
import { learnAccount, nameOf } from './names.js';
import { nowMs, pauseOf, type Service } from './service.js';

/** The sessions that a list shows. */
export interface Query {
  /** Empty for all states. */
  readonly states: ReadonlySet<SessionState>;
  readonly sort: NonNullable<SessionFilter['sort']>;
  /** Part of the id of a session or of its subject. */
  readonly text: string;
}

export interface KnownSession extends Pick<
  SessionSummary,
  'session_id' | 'subject_id' | 'state' | 'stress_score' | 'evidence' | 'confidence' | 'cause'
> {
  readonly atMs: number;
  readonly startedAtMs: number;
  /** The newest scores, oldest first. */
  readonly recent: readonly Value[];
  /** Since when the session has its state. */
  readonly sinceMs: number;
}

export type Sessions = ReturnType<typeof createSessions>;

/** Every session, the latest reading first. */
export const allSessions: Query = { states: new Set(), sort: 'activity', text: '' };

/** Pages that are requested without being asked for: 500 sessions. Also those of a search for one session. */
const pagesMax = 10;
const recentMax = 20;
/** Pause between two requests for counts or for new sessions. */
const pauseMs = 15_000;
const byScore = { sort: 'score', points: recentMax } as const;
const byStart = { points: recentMax } as const;

/**
 * The sessions of the account. Pages come from the service, and the stream keeps them up to date. All sessions of a
 * small account are loaded. Of a large account, the service sorts, filters and counts the sessions.
 */
export function createSessions(service: Service, onChange: () => void) {
  const { signal } = service;
  const byId = new Map<string, KnownSession>();
  /** The next page by query. Null after the last page. */
  const cursors = new Map<string, string | null>();
  const loading = new Map<string, Promise<void>>();
  let counted: SessionStateCounts | undefined;

  const request = async (filter: SessionFilter): Promise<string | null> => {
    const { sessions, states, next_cursor, account_id } = await service.sessions(filter, { signal });
    // The page shows the names of this account.
    if (account_id !== undefined && learnAccount(account_id)) dispatchEvent(new Event('hashchange'));
    for (const session of sessions) byId.set(session.session_id, merge(session, byId.get(session.session_id)));
    if (states && filter.subject_id === undefined) counted = states;
    onChange();
    return next_cursor;
  };
  const loadPage = (filter: SessionFilter): Promise<void> => {
    const key = JSON.stringify(filter);
    const load = async () => {
      const cursor = cursors.get(key);
      if (cursor !== null) cursors.set(key, await request(cursor === undefined ? filter : { ...filter, cursor }));
    };
    const running = loading.get(key) ?? load().finally(() => loading.delete(key));
    loading.set(key, running);
    return running;
  };
  const cursorOf = (filter: SessionFilter) => cursors.get(JSON.stringify(filter));
  const loadPages = async (filter: SessionFilter, isEnough: () => boolean) => {
    for (let pages = 0; pages < pagesMax && cursorOf(filter) !== null && !isEnough(); pages += 1)
      await loadPage(filter);
  };
  /** Returns the request for a query. Undefined if all its sessions are known. */
  const filterOf = ({ states, sort, text }: Query): SessionFilter | undefined => {
    const order = { sort, points: recentMax, ...(states.size > 0 && { state: [...states] }) };
    if (sort === 'started' && states.size === 0) return byStart;
    if (cursorOf(byScore) === null) return undefined;
    return text === '' ? order : { ...order, subject_id: text };
  };
  /** Requests the first page, and the other pages of an account without a quota. */
  const start = async () => {
    await loadPage(byScore);
    if (!service.usage.month) await loadPages(byScore, () => false);
  };
  /** Requests the counts again, unless all sessions are known. */
  const recount = () => {
    if (!document.hidden && cursorOf(byScore) !== null) request(byScore).catch(() => undefined);
    timer = setTimeout(recount, pauseOf(service, pauseMs));
  };
  let timer = setTimeout(recount, pauseMs);
  let completedMs = Number.NEGATIVE_INFINITY;
  let completing: ReturnType<typeof setTimeout> | undefined;
  /** Requests the newest sessions again: an event of the stream contains no subject and no start of a new session. */
  const complete = () => {
    completing ??= setTimeout(
      () => {
        completing = undefined;
        completedMs = performance.now();
        request(byStart).catch(() => undefined);
      },
      Math.max(0, completedMs + pauseOf(service, pauseMs) - performance.now()),
    );
  };
  signal.addEventListener('abort', () => {
    clearTimeout(timer);
    clearTimeout(completing);
  });

  return {
    /** Returns the known sessions that match, sorted. */
    list({ states, sort, text }: Query): KnownSession[] {
      const now = nowMs();
      const isShown = (it: KnownSession) =>
        (states.size === 0 || states.has(stateOf(it, now))) &&
        [it.session_id, it.subject_id ?? ''].some((id) => matches(id, text));
      const rankOf = {
        score: (it: KnownSession) => scoreRank(it, now),
        activity: (it: KnownSession) => it.atMs,
        started: (it: KnownSession) => it.startedAtMs,
      }[sort];
      return [...byId.values()]
        .filter(isShown)
        .sort(
          (a, b) => rankOf(b) - rankOf(a) || b.startedAtMs - a.startedAtMs || (a.session_id < b.session_id ? -1 : 1),
        );
    },
    find: (id: string) => byId.get(id),
    /** Returns the number of sessions by state. */
    countStates(): SessionStateCounts {
      if (counted && cursorOf(byScore) !== null) return counted;
      const counts = { calm: 0, relaxed: 0, focused: 0, stressed: 0, acute_stress: 0, unknown: 0, ended: 0 };
      for (const session of byId.values()) counts[stateOf(session, nowMs())] += 1;
      return counts;
    },
    /** True if the service may have further sessions that match. Without a query: further sessions of any kind. */
    hasMore(query?: Query): boolean {
      const filter = query ? filterOf(query) : byStart;
      return filter !== undefined && cursorOf(filter) !== null;
    },
    /** Requests the first page of a query that was not requested before. */
    async ensure(query: Query) {
      if (cursorOf(byScore) === undefined) await start();
      const filter = filterOf(query);
      if (filter && cursorOf(filter) === undefined) await loadPage(filter);
    },
    /** Requests the next page of a query. */
    async loadMore(query: Query) {
      const filter = filterOf(query);
      if (filter) await loadPage(filter);
    },
    /** Requests pages until the session is known. Resolves without it if it is not among the newest ones. */
    async search(id: string) {
      if (cursorOf(byScore) === undefined) await loadPage(byScore);
      await loadPages(byStart, () => byId.has(id));
    },
    /** Updates the sessions with a reading from the stream. */
    apply(reading: StateReading) {
      const known = byId.get(reading.session_id);
      byId.set(reading.session_id, withReading(reading, known));
      if (!known) complete();
      onChange();
    },
  };
}

/** Returns true if the id or the name of a session or a person contains a text. */
export function matches(id: string, text: string): boolean {
  return `${id} ${nameOf(id)}`.toLowerCase().includes(text.toLowerCase());
}

/** Returns the state of a session at a time. */
export function stateOf(session: KnownSession, now: number): SessionState {
  return hasEnded(session.atMs, now) ? 'ended' : shownState(session);
}

/** A stressed session needs attention from this time on. */
const attentionMs = 600_000;
/** The rule of `needsAttention`. */
export const attentionRule = `acute stress now, or stressed for ${attentionMs / 60_000} minutes or longer`;

export function needsAttention(session: KnownSession, now: number): boolean {
  const state = stateOf(session, now);
  return state === 'acute_stress' || (state === 'stressed' && session.atMs - session.sinceMs >= attentionMs);
}

/** Returns a rank: what needs attention first, then by score. Unknown states follow, and then what ended last. */
export function scoreRank(session: KnownSession, now: number): number {
  const state = stateOf(session, now);
  if (state === 'ended') return (session.atMs - now) / 1_000 - 2_000;
  const group = needsAttention(session, now) ? 1 : state === 'unknown' ? -1 : 0;
  return session.stress_score + 1_000 * group;
}

/** Returns true if the scores of the last five minutes rise, as the contract defines the trend of a history. */
export function isRising({ recent, evidence }: KnownSession, now: number): boolean {
  if (evidence) return false;
  const scores = recent.filter(({ atMs }) => !hasEnded(atMs, now)).map(({ value }) => value);
  if (scores.length < trend.trend_min_datapoints) return false;
  const third = Math.floor(scores.length / 3);
  return mean(scores.slice(-third)) - mean(scores.slice(0, third)) >= trend.trend_threshold_points;
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

/** Adds a session of a page. The stream may be newer than a page that was requested earlier. */
function merge(loaded: SessionSummary, known: KnownSession | undefined): KnownSession {
  const [atMs, startedAtMs] = [Date.parse(loaded.timestamp), Date.parse(loaded.started_at)];
  const { subject_id, state_since = loaded.timestamp } = loaded;
  if (known && known.atMs > atMs) return { ...known, ...(subject_id !== undefined && { subject_id }), startedAtMs };
  const points = loaded.points?.map((it) => ({ atMs: Date.parse(it.timestamp), value: it.stress_score }));
  const recent = points ?? known?.recent ?? [];
  return { ...loaded, atMs, startedAtMs, recent, sinceMs: Date.parse(state_since) };
}

function withReading(reading: StateReading, known: KnownSession | undefined): KnownSession {
  const { session_id, timestamp, state, stress_score, evidence, confidence, state_since = timestamp } = reading;
  const atMs = Date.parse(timestamp);
  const last = known?.recent.at(-1);
  const isNew = !evidence && (last?.atMs !== atMs || last.value !== stress_score);
  const recent = [...(known?.recent ?? []), ...(isNew ? [{ atMs, value: stress_score }] : [])].slice(-recentMax);
  const sinceMs = Date.parse(state_since);
  const { evidence: _, cause: __, ...before }: Partial<KnownSession> = known ?? {};
  const cause = findCause(reading.action_reason, state);
  const shown = { session_id, state, stress_score, confidence, ...(evidence && { evidence }), ...(cause && { cause }) };
  return { startedAtMs: nowMs(), ...before, ...shown, atMs, recent, sinceMs };
}
