import { history as settings } from '../../../generated/spec.js';
import type { History, Person, StateReading } from '../../client/src/index.js';
import { createScoreCard, createSignalsCard } from './cards.js';
import { hasEnded } from '../../ui/format.js';
import { confidenceOf, type Point, withHistory, withReading } from './points.js';
import { everySecond, followHistory, nowMs, refreshedMinutes, type Service } from './service.js';

/** Returns the cards of the score, its parts and the signals of a session or a person. `onDraw` runs after each change and each second. */
export function createPresent(
  service: Service,
  of: string | Person,
  signal: AbortSignal,
  onDraw: () => void = () => undefined,
  ...signalsCard: Parameters<typeof createSignalsCard>
) {
  const [score, signals] = [createScoreCard(), createSignalsCard(...signalsCard)];
  let newest: StateReading | undefined;
  let trend: History['trend'] | undefined;
  /** Undefined until the history has loaded. */
  let points: readonly Point[] | undefined;
  /** The newest state with contributions. The stream does not contain them. */
  let explained: StateReading | undefined;
  const newestMs = () => (newest ? Date.parse(newest.timestamp) : Number.NEGATIVE_INFINITY);
  const draw = () => {
    if (points) signals.show(points, nowMs());
    if (newest) score.show(newest, nowMs(), confidenceOf(points ?? [], nowMs()), trend, explained);
    onDraw();
  };
  const stored = followHistory(service, of, signal, (loaded, untilMs) => {
    points = withHistory(points ?? [], loaded, untilMs);
    // The trend of fewer readings is always `stable`.
    const isKnown = loaded.datapoints.length >= settings.trend_min_datapoints;
    if (loaded.minutes === refreshedMinutes) trend = isKnown ? loaded.trend : undefined;
    if (!explained || Date.parse(explained.timestamp) < newestMs()) void explain().catch(() => undefined);
    draw();
  });
  const explain = async () => {
    take(await service.state(of, { signal }));
    draw();
  };
  /** Shows a reading unless it is older than the shown one. */
  const take = (reading: StateReading) => {
    if (Date.parse(reading.timestamp) < newestMs()) return;
    newest = reading;
    if (reading.contributions) explained = reading;
  };
  everySecond(signal, draw);
  return {
    score: score.element,
    why: score.why,
    signals: signals.element,
    newest: () => newest,
    points: () => points ?? [],
    take,
    /** Shows a reading of the stream, and requests its signals. */
    receive(reading: StateReading) {
      take(reading);
      points = withReading(points ?? [], reading);
      draw();
      stored.refresh();
    },
    /** Requests the newest minutes. Those of a session that has ended are in the past. */
    load: (minutes: number) => stored.load(minutes, hasEnded(newestMs(), nowMs()) ? newestMs() : undefined),
  };
}
