import type { History, StateReading } from '../../../client/src/index.js';
import { createScoreCard, createSignalsCard } from '../cards.js';
import { h } from '../dom.js';
import { type Point, withHistory } from '../points.js';
import { everySecond, followHistory, followReadings, nowMs, refreshedMinutes, type Service } from '../service.js';

/**
 * Returns the present state of a person over all sessions, and the session that sent each signal. It follows the stream of
 * the person until the signal aborts. Hidden for a person without a live session.
 */
export function createPersonNow(service: Service, subjectId: string, signal: AbortSignal): HTMLElement {
  const of = { subject_id: subjectId };
  let newest: StateReading | undefined;
  let trend: History['trend'] | undefined;
  let points: readonly Point[] = [];
  const score = createScoreCard();
  const signals = createSignalsCard('Where the signals come from', (name, point) => {
    const shared = newest?.shared_signals ?? [];
    const other = shared.find((it) => it.signal === name && Date.parse(it.timestamp) >= point.atMs);
    return other?.session_id ?? point.sessionId ?? newest?.session_id;
  });
  const element = h('div.cards.two.now', { hidden: true }, score.element, signals.element);

  const draw = () => {
    if (!newest) return;
    const atMs = Date.parse(newest.timestamp);
    const confidence = points.findLast((it) => it.atMs === atMs)?.confidence ?? newest.confidence;
    score.show(newest, nowMs(), confidence, trend);
    signals.show(points, nowMs());
  };
  const history = followHistory(service, of, signal, (loaded, untilMs) => {
    points = withHistory([], loaded, untilMs);
    ({ trend } = loaded);
    draw();
  });
  const onReading = (reading: StateReading) => {
    if (newest && reading.timestamp < newest.timestamp) return;
    newest = reading;
    element.hidden = false;
    draw();
    history.refresh();
  };
  const load = async () => {
    // A person with imported readings only has no present state.
    if ((await service.sessions({ ...of, sort: 'activity' }, { signal })).sessions.length === 0) return;
    const state = await service.state(of, { signal });
    const atMs = Date.parse(state.timestamp);
    await history.load(refreshedMinutes, nowMs() - atMs > refreshedMinutes * 60_000 ? atMs : undefined);
    onReading(state);
  };
  load().catch(() => undefined);
  void followReadings(service, { onReading }, { subjectId, signal });
  everySecond(signal, draw);
  return element;
}
