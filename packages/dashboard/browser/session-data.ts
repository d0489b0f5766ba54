import type { History, StateReading } from '../../client/src/index.js';
import { nowMs } from './clock.js';
import { hasEnded } from './format.js';
import { loadHistory, refreshedMinutes } from './load-history.js';
import { type Point, withHistory, withReading } from './points.js';
import type { Service } from './service.js';
import type { Sessions } from './sessions.js';

/** The data of one session that the page has loaded. */
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

export function createSessionData({ service, sessions, sessionId, signal, ...on }: Parts) {
  let points: readonly Point[] = [];
  let latestMs = Number.NEGATIVE_INFINITY;

  const history = loadHistory(service, sessionId, signal, (loaded, untilMs) => {
    points = withHistory(points, loaded, untilMs ?? nowMs());
    if (loaded.minutes === refreshedMinutes) on.onTrend(loaded.trend);
    on.onPoints();
  });
  const loadNewest = (minutes: number) => history.load(minutes, hasEnded(latestMs, nowMs()) ? latestMs : undefined);
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
    /** Requests the present state and the history of the minutes. Resolves with false for a session without data. */
    async load(minutes: number) {
      if (!(await hasData())) return false;
      show(await service.state(sessionId, { signal }));
      await loadNewest(refreshedMinutes);
      await loadNewest(minutes);
      return true;
    },
    loadHistory: loadNewest,
    add(reading: StateReading) {
      show(reading);
      points = withReading(points, reading);
      on.onPoints();
      history.refresh();
    },
  };
}
