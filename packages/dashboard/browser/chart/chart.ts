import { h, svg } from '../dom.js';
import { count, percent, whenOf, words } from '../format.js';
import { changesOf, type Point, thinned } from '../points.js';
import { bandsOf, heartAxis, timeAxis } from './axes.js';
import { extentOf, heartBounds, type Layout, layoutOf, xOf } from './layout.js';
import { linesOf } from './lines.js';
import { lanesOf, stateSegments, topicLanes } from './marks.js';

export interface ChartData {
  readonly points: readonly Point[];
  /** The longest time that the chart shows. */
  readonly minutes: number;
  readonly nowMs: number;
}

/**
 * Returns the chart. It is SVG, so that the stylesheet colors it in light and dark, its labels are text, and the content
 * security policy needs no exception.
 */
export function createChart() {
  const drawing = svg('svg', { role: 'img' });
  const cursor = h('input', { type: 'range', class: 'cursor', step: 1, 'aria-label': 'Reading in the chart' });
  const readout = h('p', { class: 'readout' });
  const others = h('p', { class: 'hint' });
  const element = h('figure', { class: 'chart' }, drawing, cursor, h('figcaption', {}, readout, others));
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
    readout.textContent = point ? describePoint(point, data?.nowMs ?? point.atMs) : 'No readings in this window.';
    cursor.setAttribute('aria-valuetext', readout.textContent);
    drawing.querySelector('.cursor-line')?.remove();
    if (!layout || !point || chosenMs === undefined) return;
    const x = xOf(layout, point.atMs);
    drawing.append(svg('line', { class: 'cursor-line', x1: x, x2: x, y1: layout.score.top, y2: layout.heart.bottom }));
  };
  const redraw = () => {
    if (!data || element.clientWidth === 0) return;
    const drawn = drawChart(drawing, element.clientWidth, data);
    ({ layout, shown } = drawn);
    others.hidden = drawn.rest === 0;
    others.textContent = `${count(drawn.rest, 'earlier topic')}: move along the chart to read them.`;
    // The slider ends where the plot ends. Half of its thumb is beyond each end.
    cursor.style.marginLeft = `${layout.left - 7}px`;
    cursor.style.width = `${layout.right - layout.left + 14}px`;
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
    draw(next: ChartData) {
      data = next;
      redraw();
    },
  };
}

interface Drawn {
  readonly layout: Layout;
  /** The points within the layout. */
  readonly shown: readonly Point[];
  /** Number of topics without a lane. */
  readonly rest: number;
}

/** Replaces the content of the drawing. */
function drawChart(drawing: SVGSVGElement, width: number, { points, minutes, nowMs }: ChartData): Drawn {
  const extent = extentOf(points, minutes, nowMs);
  const shown = points.filter(({ atMs }) => atMs >= extent.fromMs);
  const rates = shown.flatMap(({ sent }) => sent.heart_rate ?? []);
  const bounds = rates.length > 0 ? heartBounds(rates) : undefined;
  const { lanes, rest } = lanesOf(shown);
  const layout = layoutOf(width, extent, { topics: lanes.length, hasHeart: bounds !== undefined });
  const drawn = thinned(shown, ({ atMs }) => xOf(layout, atMs));
  drawing.setAttribute('viewBox', `0 0 ${width} ${layout.height}`);
  drawing.setAttribute('height', String(layout.height));
  drawing.setAttribute('aria-label', summaryOf(shown, nowMs));
  drawing.replaceChildren(
    ...bandsOf(layout),
    ...(bounds ? heartAxis(layout, bounds) : []),
    ...timeAxis(layout),
    ...topicLanes(layout, lanes),
    ...linesOf(layout, drawn, bounds),
    ...stateSegments(layout, points, nowMs),
  );
  return { layout, shown, rest };
}

/** Returns the index of the point nearest to a horizontal place. */
function nearest(points: readonly Point[], x: number, layout: Layout): number {
  const distances = points.map(({ atMs }) => Math.abs(xOf(layout, atMs) - x));
  return distances.indexOf(Math.min(...distances));
}

function describePoint({ atMs, score, state, confidence, topics, sent }: Point, nowMs: number): string {
  const rate = sent.heart_rate === undefined ? [] : [`${Math.round(sent.heart_rate)} bpm`];
  return [
    whenOf(atMs, nowMs),
    `score ${score}, ${words(state)}`,
    ...rate,
    `confidence ${percent(confidence)}`,
    ...topics.map(words),
  ].join(' · ');
}

function summaryOf(points: readonly Point[], nowMs: number): string {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return 'Stress score and heart rate: no readings.';
  const scores = points.map(({ score }) => score);
  const time = `${whenOf(first.atMs, nowMs)} to ${whenOf(last.atMs, nowMs)}`;
  const changes = count(changesOf(points).length, 'change');
  return `Stress score and heart rate, ${time}: ${count(points.length, 'reading')}, score from ${Math.min(...scores)} to ${Math.max(...scores)}, last ${last.score}, ${changes} of the state.`;
}
