import { h, svg } from '../dom.js';
import { percent, timeOfDay, words } from '../format.js';
import { changesOf, type Point, thinned } from '../points.js';
import { bandsOf, heartAxis, timeAxis } from './axes.js';
import { heartBounds, type Layout, layoutOf, xOf } from './layout.js';
import { linesOf } from './lines.js';
import { changeMarks, type Mention, placeMentions, topicLabels } from './marks.js';

export interface ChartData {
  readonly points: readonly Point[];
  readonly mentions: readonly Mention[];
  readonly minutes: number;
  readonly nowMs: number;
}

export interface Chart {
  readonly element: HTMLElement;
  draw(data: ChartData): void;
}

/**
 * Returns the chart. It is SVG, so that the stylesheet colors it in light and dark, its labels are text, and the content
 * security policy needs no exception.
 */
export function createChart(): Chart {
  const drawing = svg('svg', { role: 'img' });
  const cursor = h('input', { type: 'range', class: 'cursor', step: 1, 'aria-label': 'Reading in the chart' });
  const readout = h('p', { class: 'readout' });
  const element = h('figure', { class: 'chart' }, drawing, cursor, h('figcaption', {}, readout));
  let data: ChartData | undefined;
  let layout: Layout | undefined;
  let shown: readonly Point[] = [];
  /** The newest reading is selected until the reader moves the cursor, and again when they move it to the end. */
  let chosenMs: number | undefined;

  const select = (index: number) => {
    chosenMs = index >= shown.length - 1 ? undefined : shown[index]?.atMs;
    showCursor();
  };
  const showCursor = () => {
    const found = chosenMs === undefined ? shown.length - 1 : shown.findIndex((it) => it.atMs === chosenMs);
    const index = found < 0 ? shown.length - 1 : found;
    const point = shown[index];
    cursor.max = String(Math.max(shown.length - 1, 0));
    cursor.value = String(index);
    cursor.disabled = shown.length < 2;
    readout.textContent = point ? describePoint(point) : 'No readings in this window.';
    cursor.setAttribute('aria-valuetext', readout.textContent);
    drawing.querySelector('.cursor-line')?.remove();
    if (!layout || !point || chosenMs === undefined) return;
    const x = xOf(layout, point.atMs);
    drawing.append(svg('line', { class: 'cursor-line', x1: x, x2: x, y1: layout.score.top, y2: layout.heart.bottom }));
  };
  const redraw = () => {
    if (!data || element.clientWidth === 0) return;
    const { points, mentions, minutes, nowMs } = data;
    shown = points.filter(({ atMs }) => atMs > nowMs - minutes * 60_000);
    const visible = mentions.filter(({ atMs }) => atMs > nowMs - minutes * 60_000);
    layout = drawChart(drawing, element.clientWidth, { points: shown, mentions: visible, minutes, nowMs });
    showCursor();
  };
  cursor.addEventListener('input', () => select(Number(cursor.value)));
  drawing.addEventListener('pointermove', ({ clientX }) => {
    if (layout) select(nearest(shown, clientX - drawing.getBoundingClientRect().left, layout));
  });
  drawing.addEventListener('pointerleave', () => select(shown.length - 1));
  new ResizeObserver(redraw).observe(element);
  return {
    element,
    draw(next) {
      data = next;
      redraw();
    },
  };
}

/** Replaces the content of the drawing. Returns its layout. */
function drawChart(drawing: SVGSVGElement, width: number, { points, mentions, minutes, nowMs }: ChartData): Layout {
  const plain = layoutOf(width, minutes, nowMs, 0);
  const placed = placeMentions(plain, mentions);
  const lanes = Math.max(0, ...placed.map(({ lane }) => lane + 1));
  const layout = layoutOf(width, minutes, nowMs, lanes);
  const drawn = thinned(points, ({ atMs }) => xOf(layout, atMs));
  const bounds = heartBounds(points.flatMap(({ heartRate }) => heartRate ?? []));
  drawing.setAttribute('viewBox', `0 0 ${width} ${layout.height}`);
  drawing.setAttribute('height', String(layout.height));
  drawing.setAttribute('aria-label', summaryOf(points, minutes));
  drawing.replaceChildren(
    ...bandsOf(layout),
    ...heartAxis(layout, bounds),
    ...timeAxis(layout),
    ...topicLabels(layout, placed),
    ...linesOf(layout, drawn, bounds),
    ...changeMarks(layout, points),
  );
  return layout;
}

/** Returns the index of the point nearest to a horizontal place. */
function nearest(points: readonly Point[], x: number, layout: Layout): number {
  const distances = points.map(({ atMs }) => Math.abs(xOf(layout, atMs) - x));
  return distances.indexOf(Math.min(...distances));
}

function describePoint({ atMs, score, state, heartRate, confidence }: Point): string {
  const rate = heartRate === undefined ? [] : [`${Math.round(heartRate)} bpm`];
  return [
    timeOfDay(atMs, 'seconds'),
    `score ${score}, ${words(state)}`,
    ...rate,
    `confidence ${percent(confidence)}`,
  ].join(' · ');
}

function summaryOf(points: readonly Point[], minutes: number): string {
  const window = `Stress score and heart rate of the last ${minutes} minutes`;
  const scores = points.map(({ score }) => score);
  if (scores.length === 0) return `${window}: no readings.`;
  const changes = changesOf(points).length;
  return `${window}: ${points.length} readings, score from ${Math.min(...scores)} to ${Math.max(...scores)}, now ${scores.at(-1)}, ${changes} changes of the state.`;
}
