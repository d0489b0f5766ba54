import { heartBounds, yOf } from '../chart/layout.js';
import { h, svg } from '../dom.js';
import { type Day, nameOfDay, nameOfInstant, type Period } from './calendar.js';
import { type Hour, hourMs } from './hours.js';

/** Width of a drawing in its own units. The page stretches it. */
export const plotWidth = 1_000;
const plotHeight = 100;
/** Distances of the labels of the heart rate, in bpm. */
const tickSteps = [5, 10, 20, 25];
const caption = 'Mean per hour, on a band from the lowest to the highest rate.';
const dayShort = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric' });

/** Returns the horizontal place of a time, limited to the drawing. */
export function xIn({ fromMs, toMs }: Day, atMs: number): number {
  return Math.min(Math.max((atMs - fromMs) / (toMs - fromMs), 0), 1) * plotWidth;
}

/** Returns the labels of the time axis: hours of a day, days of a week, every seventh day of a month. */
export function timeAxis(period: Period): HTMLElement {
  const { span, days, fromMs } = period;
  const labels =
    span === 'day'
      ? [0, 6, 12, 18].map((hour) => {
          const date = new Date(fromMs);
          return { atMs: date.setHours(hour), text: `${hour}:00` };
        })
      : days
          .filter((_, index) => span === 'week' || index % 7 === 0)
          .map((day) => ({
            atMs: day.fromMs,
            text: span === 'week' ? dayShort.format(day.fromMs) : nameOfDay(day.fromMs),
          }));
  const axis = h('div', { class: 'time-axis', 'aria-hidden': 'true' });
  for (const { atMs, text } of labels) {
    const share = xIn(period, atMs) / plotWidth;
    // A label at the edge would be cut off.
    if (share > 0.9) continue;
    const label = h('span', {}, text);
    label.style.left = `${share * 100}%`;
    axis.append(label);
  }
  return axis;
}

/** Returns the midnights of a period, or the quarters of a day, as lines. */
export function gridLines(period: Period, height: number): SVGElement[] {
  const { span, days, fromMs } = period;
  const times = span === 'day' ? [6, 12, 18].map((it) => new Date(fromMs).setHours(it)) : days.map((it) => it.fromMs);
  return times.slice(span === 'day' ? 0 : 1).map((atMs) => {
    const x = xIn(period, atMs);
    return svg('line', { class: 'grid', x1: x, x2: x, y2: height });
  });
}

interface Measured {
  readonly atMs: number;
  readonly mean: number;
  readonly min: number;
  readonly max: number;
}

/** Returns the mean heart rate per hour as a line, with a band from the lowest to the highest rate of the hour. */
export function heartPlot(period: Period, hours: readonly Hour[], restingBpm: number | undefined): HTMLElement {
  const measured = hours.flatMap(({ atMs, row }) => (row.heart_rate ? [{ atMs, ...row.heart_rate }] : []));
  if (measured.length === 0) return h('p', { class: 'hint' }, 'No heart rate in this time.');
  const [low, high] = heartBounds(measured.flatMap(({ min, max }) => [min, max]));
  const y = (bpm: number) => yOf({ top: 0, bottom: plotHeight }, bpm, low, high);
  const step = tickSteps.find((it) => (high - low) / it <= 5) ?? 50;
  const ticks = Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, index) => low + index * step);
  const band = measured.map(({ atMs, min, max, mean }) => {
    const x = xIn(period, atMs);
    const width = xIn(period, atMs + hourMs) - x;
    const title = `${nameOfInstant(atMs)}: mean ${Math.round(mean)}, ${Math.round(min)}–${Math.round(max)} bpm`;
    // One value in an hour is still visible.
    const size = Math.max(y(min) - y(max), 1);
    return svg('rect', { class: 'heart-band', x, y: y(max), width, height: size }, svg('title', {}, title));
  });
  const line = runsOf(measured).map((run) => {
    const [start] = run;
    const points = run.map(({ atMs, mean }) => `${xIn(period, atMs + hourMs / 2).toFixed(1)} ${y(mean).toFixed(1)}`);
    // A line without length has round caps, so it draws a dot.
    return `M${points.join('L')}${start && run.length === 1 ? 'h0' : ''}`;
  });
  const resting =
    restingBpm === undefined || restingBpm < low || restingBpm > high
      ? []
      : [svg('line', { class: 'resting', x2: plotWidth, y1: y(restingBpm), y2: y(restingBpm) })];
  const bounds = [Math.min(...measured.map(({ min }) => min)), Math.max(...measured.map(({ max }) => max))];
  const label = `Heart rate, ${measured.length} hours, from ${bounds.map(Math.round).join(' to ')} bpm`;
  const drawing = svg(
    'svg',
    { role: 'img', 'aria-label': label, viewBox: `0 0 ${plotWidth} ${plotHeight}`, preserveAspectRatio: 'none' },
    ...gridLines(period, plotHeight),
    ...ticks.map((bpm) => svg('line', { class: 'grid', x2: plotWidth, y1: y(bpm), y2: y(bpm) })),
    ...band,
    ...resting,
    svg('path', { class: 'line-heart', d: line.join('') }),
  );
  const labels = ticks.map((bpm) => {
    const text = h('span', { class: 'bound', 'aria-hidden': 'true' }, bpm === high ? `${bpm} bpm` : bpm);
    text.style.top = `${y(bpm)}%`;
    return text;
  });
  return h(
    'div',
    {},
    h('div', { class: 'heart-plot' }, ...labels, drawing),
    timeAxis(period),
    h('p', { class: 'hint' }, restingBpm === undefined ? caption : `${caption} Dashed: resting heart rate.`),
  );
}

/** Returns the measurements of consecutive hours. A pause leaves a gap in the line. */
function runsOf(measured: readonly Measured[]): Measured[][] {
  const runs: Measured[][] = [];
  for (const [index, it] of measured.entries()) {
    if (it.atMs - (measured[index - 1]?.atMs ?? 0) > hourMs) runs.push([]);
    runs.at(-1)?.push(it);
  }
  return runs;
}
