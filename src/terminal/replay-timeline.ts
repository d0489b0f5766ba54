import type { AnsweredWindow } from './task-summary.js';
import { drawTimeline, type TimelineSpan } from './timeline.js';
import type { TimelinePoint } from './timeline/layout.js';

/** A window, its response, and the time of measurement if the recording has it, otherwise the sent time, epoch ms. */
export interface TimedAnswer extends AnsweredWindow {
  readonly atMs: number;
}

const stressorLabel = 'stressor';

/**
 * Returns an SVG of one person's replay: heart rate, score, states and topics. Shades the windows with the label
 * `stressor`. The answers must be in ascending order.
 */
export function drawReplay(subject: string, answers: readonly TimedAnswer[]): string {
  const startMs = answers[0]?.atMs ?? 0;
  const times = answers[0]?.window.atMs === undefined ? 'that were sent to the service' : 'of the recording';
  const secondOf = (atMs: number) => (atMs - startMs) / 1000;
  const points = answers.map(({ window, reading, atMs }): TimelinePoint => ({
    second: secondOf(atMs),
    heartRate: window.values.heart_rate,
    score: reading.stress_score,
    state: reading.state,
    topics: reading.topics_detected,
  }));
  return drawTimeline({
    title: 'Heart rate, stress score and states',
    subtitle: `Person ${subject}, ${answers.length} readings, at the times ${times}`,
    points,
    shaded: spansOf(points, (_, index) => answers[index]?.window.label === stressorLabel),
    shadedAs: `label ${stressorLabel}`,
  });
}

/** Returns the time ranges of consecutive points with a property. A range ends at the next point without it. */
export function spansOf<Point extends { readonly second: number }>(
  points: readonly Point[],
  isIn: (point: Point, index: number) => boolean,
): TimelineSpan[] {
  const spans: TimelineSpan[] = [];
  let from: number | undefined;
  points.forEach((point, index) => {
    if (isIn(point, index)) from ??= point.second;
    else if (from !== undefined) {
      spans.push({ from, to: point.second });
      from = undefined;
    }
  });
  const end = points.at(-1)?.second ?? 0;
  return from === undefined ? spans : [...spans, { from, to: end }];
}
