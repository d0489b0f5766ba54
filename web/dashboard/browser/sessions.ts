import type { SessionSummary, StateReading } from '../../../clients/typescript/src/index.js';
import { nowMs } from './clock.js';
import { signalLifetimeMs } from './format.js';
import type { Service } from './service.js';

export interface Sessions {
  /** Newest start first. */
  list(): readonly SessionSummary[];
  find(id: string): SessionSummary | undefined;
  /** True if the service has further sessions. */
  hasMore(): boolean;
  /** Loads the first page, or the page after those that are loaded. */
  loadMore(): Promise<void>;
  /** Requests pages until the session is loaded. Resolves without it if it is not among the newest ones. */
  search(id: string): Promise<void>;
  /** Updates the list with a reading from the stream. */
  apply(reading: StateReading): void;
}

/** Pages that a search for one session requests. */
const searchedPagesMax = 10;

/** The sessions of the account. Pages come from the service, and the stream keeps them up to date. */
export function createSessions(service: Service, onChange: () => void): Sessions {
  const byId = new Map<string, SessionSummary>();
  let cursor: string | null | undefined;

  const page = async (after: string | undefined) => {
    const pages = service.sessions(after === undefined ? {} : { cursor: after }, { signal: service.signal });
    const { sessions, next_cursor } = await pages;
    for (const session of sessions) byId.set(session.session_id, newer(session, byId.get(session.session_id)));
    return next_cursor;
  };
  const load = async () => {
    if (cursor !== null) cursor = await page(cursor);
    onChange();
  };
  let loading: Promise<void> | undefined;
  const loadMore = () => (loading ??= load().finally(() => (loading = undefined)));
  /**
   * Requests the first page again: an event of the stream does not contain the subject and the start of a new session.
   */
  const complete = async () => {
    await page(undefined).catch(() => undefined);
    onChange();
  };
  return {
    list: () => [...byId.values()].sort((a, b) => Date.parse(b.started_at) - Date.parse(a.started_at)),
    find: (id) => byId.get(id),
    hasMore: () => typeof cursor === 'string',
    loadMore,
    async search(id) {
      for (let pages = 0; pages < searchedPagesMax && !byId.has(id) && cursor !== null; pages += 1) await loadMore();
    },
    apply(reading) {
      const { session_id, timestamp, state, stress_score, confidence, model_version } = reading;
      const known = byId.get(session_id);
      const started_at = known?.started_at ?? new Date(nowMs()).toISOString();
      const valid_until = new Date(Date.parse(timestamp) + signalLifetimeMs).toISOString();
      const latest = { timestamp, state, stress_score, confidence, model_version, valid_until };
      byId.set(session_id, { ...known, session_id, started_at, ...latest });
      if (!known) void complete();
      onChange();
    },
  };
}

/** Returns the entry with the newest state. The stream may be newer than a page that was requested earlier. */
function newer(loaded: SessionSummary, known: SessionSummary | undefined): SessionSummary {
  if (!known || Date.parse(known.timestamp) <= Date.parse(loaded.timestamp)) return loaded;
  const { timestamp, state, stress_score, confidence, model_version, valid_until } = known;
  return { ...loaded, timestamp, state, stress_score, confidence, model_version, valid_until };
}
