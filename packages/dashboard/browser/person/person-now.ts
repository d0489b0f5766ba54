import { createAdviceCard } from '../cards.js';
import { h } from '../../../ui/dom.js';
import { hasEnded } from '../../../ui/format.js';
import type { Point, SignalName } from '../points.js';
import { createPresent } from '../present.js';
import { followReadings, nowMs, refreshedMinutes, type Service } from '../service.js';

/** An older state says nothing about today. */
const shownMs = 86_400_000;

/**
 * Returns the present state of a person over all sessions, and the session that sent each signal. It follows the stream of
 * the person until the signal aborts. Hidden for a person without a live session of the last day. `onReconnect` runs when the stream opens
 * again after it was lost, and `onDraw` after each change.
 */
export function createPersonNow(
  service: Service,
  subjectId: string,
  signal: AbortSignal,
  onReconnect: () => void,
  onDraw: () => void,
) {
  const of = { subject_id: subjectId };
  const sourceOf = (name: SignalName, point: Point) => {
    const shared = present.newest()?.shared_signals ?? [];
    const other = shared.find((it) => it.signal === name && Date.parse(it.timestamp) >= point.atMs);
    return other?.session_id ?? point.session_id ?? present.newest()?.session_id;
  };
  const advice = createAdviceCard();
  const draw = () => {
    const newest = present.newest();
    const newestMs = Date.parse(newest?.timestamp ?? '');
    if (newest) advice.show(newest, hasEnded(newestMs, nowMs()), present.points(), nowMs(), false);
    element.hidden = !(nowMs() - newestMs < shownMs);
    onDraw();
  };
  const present = createPresent(service, of, signal, draw, 'Where the signals come from', sourceOf);
  const parts = [present.score, advice.element, present.why, present.signals];
  const element = h('div.cards.two.now', { hidden: true }, parts);
  const load = async () => {
    // A person with imported readings only has no present state.
    if ((await service.sessions({ ...of, sort: 'activity' }, { signal })).sessions.length === 0) return;
    present.take(await service.state(of, { signal }));
    await present.load(refreshedMinutes);
    // The sentence names the topics of these minutes.
    await present.load(15);
  };
  const start = () => void load().catch(() => undefined);
  let isLost = false;
  const onDisconnect = () => (isLost = true);
  const reconnect = () => {
    if (!isLost) return;
    isLost = false;
    start();
    onReconnect();
  };
  service.streams.addEventListener('open', reconnect, { signal });
  start();
  void followReadings(service, { onReading: present.receive, onDisconnect }, { subjectId, signal });
  return { element, newest: present.newest, points: present.points };
}
