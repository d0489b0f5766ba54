import type { History, StateReading } from '../../../clients/typescript/src/index.js';
import type { Mention } from './chart/marks.js';
import { nowMs } from './clock.js';
import { loadHistory, refreshedMinutes } from './load-history.js';
import { type Point, withHistory, withReading } from './points.js';
import type { Service } from './service.js';
import type { Sessions } from './sessions.js';

/** The data of one session that the page has loaded. */
export interface SessionData {
  readonly points: readonly Point[];
  /** Topics in the order of their mentions. */
  readonly mentions: readonly Mention[];
  /** Requests the present state and the history of the minutes. Resolves with false for a session without data. */
  load(minutes: number): Promise<boolean>;
  loadHistory(minutes: number): Promise<void>;
  /** Adds a reading of the stream. */
  add(reading: StateReading): void;
  /** Adds the topics that are remembered of the subject. */
  addMentions(topics: readonly Mention[]): void;
}

export interface Parts {
  readonly service: Service;
  readonly sessions: Sessions;
  readonly sessionId: string;
  readonly signal: AbortSignal;
  /** Called with the newest reading. */
  readonly onReading: (reading: StateReading) => void;
  /** Called when the points have changed. */
  readonly onPoints: () => void;
  readonly onTrend: (trend: History['trend']) => void;
}

export function createSessionData({ service, sessions, sessionId, signal, ...on }: Parts): SessionData {
  let points: readonly Point[] = [];
  let mentions: readonly Mention[] = [];
  let latestMs = Number.NEGATIVE_INFINITY;

  const history = loadHistory(service, sessionId, signal, (loaded) => {
    points = withHistory(points, loaded, nowMs());
    if (loaded.minutes === refreshedMinutes) on.onTrend(loaded.trend);
    on.onPoints();
  });
  const show = (reading: StateReading) => {
    const atMs = Date.parse(reading.timestamp);
    if (atMs < latestMs) return;
    latestMs = atMs;
    on.onReading(reading);
  };
  /** Requesting a session without data would be an error, so the list of sessions is searched first. */
  const hasData = async () => {
    await sessions.search(sessionId);
    return sessions.find(sessionId) !== undefined || sessions.hasMore();
  };
  return {
    get points() {
      return points;
    },
    get mentions() {
      return mentions;
    },
    async load(minutes) {
      if (!(await hasData())) return false;
      show(await service.state(sessionId, { signal }));
      await history.load(refreshedMinutes);
      await history.load(minutes);
      return true;
    },
    loadHistory: history.load,
    add(reading) {
      show(reading);
      points = withReading(points, reading);
      const atMs = Date.parse(reading.timestamp);
      mentions = [...mentions, ...reading.topics_detected.map((topic) => ({ topic, atMs }))];
      on.onPoints();
      history.refresh();
    },
    addMentions(topics) {
      const isKnown = (it: Mention) => mentions.some(({ topic, atMs }) => topic === it.topic && atMs === it.atMs);
      // A topic may have been mentioned in another session of the subject. Only this session has a reading of that time.
      const added = topics.filter((it) => !isKnown(it) && points.some(({ atMs }) => atMs === it.atMs));
      mentions = [...mentions, ...added].sort((a, b) => a.atMs - b.atMs);
      on.onPoints();
    },
  };
}
