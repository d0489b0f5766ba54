import type { StateReading } from '../../../client/src/index.js';
import { nowMs } from '../clock.js';
import { h } from '../dom.js';
import { followReadings } from '../follow-readings.js';
import { loadHistory, refreshedMinutes } from '../load-history.js';
import { type Point, withHistory } from '../points.js';
import { createScoreCard } from '../score-card.js';
import type { Service } from '../service.js';
import { createSignalsCard } from '../signals-card.js';

const tickMs = 1_000;

/**
 * Returns the present state of a person over all sessions, and the session that sent each signal. It follows the stream of
 * the person until the signal aborts. Hidden for a person without a live session.
 */
export function createPersonNow(service: Service, subjectId: string, signal: AbortSignal): HTMLElement {
  const [score, signals] = [createScoreCard(), createSignalsCard('Where the signals come from')];
  const element = h('div', { class: 'cards now', hidden: true }, score.element, signals.element);
  const of = { subject_id: subjectId };
  let newest: StateReading | undefined;
  let points: readonly Point[] = [];

  const tick = () => {
    if (!newest) return;
    const atMs = Date.parse(newest.timestamp);
    score.tick(atMs, nowMs(), points.findLast((it) => it.atMs === atMs)?.confidence ?? newest.confidence);
    signals.tick(nowMs());
  };
  const draw = () => {
    const { shared_signals: shared = [], session_id } = newest ?? {};
    signals.receive(points, (name, point) => {
      const other = shared.find((it) => it.signal === name && Date.parse(it.timestamp) >= point.atMs);
      return other?.session_id ?? point.sessionId ?? session_id;
    });
    tick();
  };
  const history = loadHistory(service, of, signal, (loaded, untilMs = nowMs()) => {
    points = withHistory([], loaded, untilMs);
    score.showTrend(loaded.trend);
    draw();
  });
  const receive = (reading: StateReading) => {
    if (newest && reading.timestamp < newest.timestamp) return;
    newest = reading;
    element.hidden = false;
    score.show(reading);
    draw();
    history.refresh();
  };
  const load = async () => {
    // A person with imported readings only has no present state.
    if ((await service.sessions({ ...of, sort: 'activity' }, { signal })).sessions.length === 0) return;
    const state = await service.state(of, { signal });
    const ageMs = nowMs() - Date.parse(state.timestamp);
    await history.load(refreshedMinutes, ageMs > refreshedMinutes * 60_000 ? Date.parse(state.timestamp) : undefined);
    receive(state);
  };
  load().catch(() => undefined);
  const ignore = () => undefined;
  const following = { onReading: receive, onDisconnect: ignore, onRefused: ignore };
  void followReadings(service, following, { subjectId, signal });
  const timer = setInterval(tick, tickMs);
  signal.addEventListener('abort', () => clearInterval(timer));
  return element;
}
