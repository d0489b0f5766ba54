import { bands, scoreMax } from '../../../../generated/spec.js';
import { h, show, svg } from '../../../ui/dom.js';
import { count, hasEnded, label, shownState, timeOfDay, whenOf, words } from '../../../ui/format.js';
import { countChanges, holdsOf, type Point, withEvidence } from '../points.js';
import * as plot from './plot.js';

export interface ChartData {
  readonly points: readonly Point[];
  /** The longest time that the chart shows. */
  readonly minutes: number;
  readonly nowMs: number;
}

/** A longer pause between two readings leaves a gap in a line. */
const pauseMs = 120_000;
/** A shorter time would stretch one reading over the whole chart. */
const extentMinMs = 60_000;
const [second, minute] = [1_000, 60_000];
const tickSteps = [5 * second, 10 * second, 30 * second, ...[1, 2, 5, 10, 15, 30].map((it) => it * minute)];
const ticksMax = 8;
/** Topics that have a lane. The readings name the others. */
const lanesMax = 8;
const scores: plot.Bounds = [0, scoreMax];
const whole: plot.Bounds = [0, plot.plotHeight];

/** Returns the chart of a session. From top to bottom: topics, score, states and heart rate. All share the time axis. */
export function createChart() {
  const picture = h('div.picture', { role: 'img' });
  const cursor = h('input.cursor', { type: 'range', step: 1, 'aria-label': 'Reading in the chart' });
  const cursorLine = h('div.cursor-line', { hidden: true });
  const [held, readout, others] = [h('p.hint'), h('p.readout.hint'), h('p.hint')];
  let extent: plot.Extent = { fromMs: 0, toMs: 1 };
  let nowMs = 0;
  let shown: readonly Point[] = [];
  /** The newest reading is selected until the reader moves the cursor, and again when they move it to the end. */
  let chosenMs: number | undefined;

  const select = (index: number) => {
    chosenMs = index >= shown.length - 1 ? undefined : shown[index]?.atMs;
    showCursor();
  };
  const showCursor = () => {
    const found = chosenMs === undefined ? -1 : shown.findIndex((it) => it.atMs === chosenMs);
    const index = found < 0 ? shown.length - 1 : found;
    const point = shown[index];
    cursor.max = String(Math.max(shown.length - 1, 0));
    cursor.value = String(index);
    cursor.disabled = shown.length < 2;
    const text = point ? describePoint(point, nowMs) : 'No readings in this window.';
    show(readout, text);
    cursor.setAttribute('aria-valuetext', text);
    cursorLine.hidden = found < 0;
    if (point) cursorLine.style.setProperty('--share', String(plot.shareOf(extent, point.atMs)));
  };
  cursor.oninput = () => select(Number(cursor.value));
  picture.onpointermove = ({ clientX }) => {
    const { left, width } = picture.querySelector('.score-plot')?.getBoundingClientRect() ?? new DOMRect();
    const atMs = extent.fromMs + ((clientX - left) / width) * (extent.toMs - extent.fromMs);
    const distances = shown.map((it) => Math.abs(it.atMs - atMs));
    select(distances.indexOf(Math.min(...distances)));
  };
  picture.onpointerleave = () => select(shown.length - 1);
  return {
    element: h('figure.chart', held, picture, cursorLine, cursor, h('figcaption', readout, others)),
    draw(data: ChartData) {
      nowMs = data.nowMs;
      extent = extentOf(data);
      shown = data.points.filter(({ atMs }) => atMs >= extent.fromMs);
      picture.ariaLabel = describe(shown, nowMs);
      const topics = listTopics(shown);
      show(
        picture,
        topics.slice(0, lanesMax).map((it) => topicLane(extent, ...it)),
        plots(extent, data, shown),
      );
      const rest = topics.length - lanesMax;
      const restText = rest > 0 && `${count(rest, 'earlier topic')}: move along the chart to read them. `;
      show(others, restText);
      show(held, withEvidence(shown).some(isHeld) && heldText);
      showCursor();
    },
  };
}

/**
 * Returns the time of the newest points, at most `minutes`. It ends now, or with the newest reading of a session that has
 * ended. It begins with the first of these points.
 */
function extentOf({ points, minutes, nowMs }: ChartData): plot.Extent {
  const newestMs = points.at(-1)?.atMs ?? nowMs;
  const isPast = hasEnded(newestMs, nowMs);
  const lastMs = isPast ? newestMs : nowMs;
  const firstMs = points.find(({ atMs }) => atMs > lastMs - minutes * minute)?.atMs ?? lastMs - minutes * minute;
  const spanMs = Math.max(lastMs - firstMs, extentMinMs);
  // A point at the edge would be cut off. A single point is in the middle.
  const marginMs = Math.max(spanMs * 0.03, isPast ? (spanMs - (lastMs - firstMs)) / 2 : 0);
  const toMs = isPast ? lastMs + marginMs : lastMs;
  return { fromMs: Math.min(firstMs - spanMs * 0.03, toMs - spanMs), toMs };
}

/** Returns the times at which topics were mentioned, the most recently mentioned topic first. */
function listTopics(points: readonly Point[]): Array<[topic: string, times: readonly number[]]> {
  const byTopic = new Map<string, number[]>();
  for (const { atMs, topics_detected = [] } of points.toReversed())
    for (const topic of topics_detected) byTopic.set(topic, [...(byTopic.get(topic) ?? []), atMs]);
  return [...byTopic];
}

const heldText = 'Flat gray line: the score is held at the edge of its state until the change lasts.';

/** Returns true if the score stays at an edge of its state, where the service holds it until other signals last. */
function isHeld({ stress_score: score, state }: Point, index: number, points: readonly Point[]): boolean {
  const band = bands.find((it) => it.state === state);
  const isEdge = (score === band?.min_score && score > 0) || (score === band?.max_score && score < scoreMax);
  return isEdge && points[index - 1]?.stress_score === score;
}

/** Returns a mark over each part of the line where the score is held. */
function heldParts(extent: plot.Extent, points: readonly Point[]) {
  return points.map((point, index) => {
    const [toMs, y] = [point.atMs, plot.yOf(scores, point.stress_score)];
    const fromMs = Math.max(points[index - 1]?.atMs ?? toMs, toMs - pauseMs);
    return isHeld(point, index, points) && plot.span('held', extent, { fromMs, toMs }, [y - 1, y + 1]);
  });
}

/** Returns a lane with a tick per mention of the topic. */
function topicLane(extent: plot.Extent, topic: string, times: readonly number[]) {
  const ticks = times.map((atMs) => plot.span('topic-mark', extent, { fromMs: atMs, toMs: atMs }, whole, undefined, 3));
  return h('div.topic', h('span', words(topic)), plot.drawing('svg.lane', undefined, ticks));
}

function plots(extent: plot.Extent, { points, nowMs }: ChartData, shown: readonly Point[]) {
  const rates = shown.flatMap(({ atMs, heart_rate: value }) => (value === undefined ? [] : [{ atMs, value }]));
  const bounds = plot.heartBounds(rates.map(({ value }) => value));
  const ticks = listTicks(extent);
  const times = ticks.map(([atMs]) => atMs);
  const grid = () => plot.gridLines(extent, times);
  const known = withEvidence(shown);
  const values = known.map(({ atMs, stress_score: value }) => ({ atMs, value }));
  const line = plot.line('line-score', extent, scores, values, pauseMs);
  const unknown = holdsOf(points, nowMs).filter(({ state }) => state === 'unknown');
  const areas = unknown.map((it) => plot.span('unknown-time', extent, it, whole, 'Unknown'));
  const lower = bands.map(({ min_score: min }) => min);
  return [
    h(
      'div.plot.score-plot',
      plot.axis(scores, [...lower, scoreMax]),
      bandNames(),
      plot.drawing('svg', undefined, bandAreas(), areas, grid(), line, heldParts(extent, known)),
    ),
    holdStrip(extent, points, nowMs),
    rates.length > 0 && [
      h('p.plot-name.hint.tiny', 'Heart rate'),
      plot.heartPlot(bounds, undefined, grid(), plot.line('line-heart.acute_stress', extent, bounds, rates, pauseMs)),
    ],
    plot.timeAxis(extent, ticks),
  ];
}

export function bandAreas() {
  return bands.map(({ state, min_score: min }, index) => {
    const [top, bottom] = [bands[index + 1]?.min_score ?? scoreMax, min].map((it) => plot.yOf(scores, it));
    return svg('rect.band', { class: state, y: top, width: plot.plotWidth, height: (bottom ?? 0) - (top ?? 0) });
  });
}

/** Returns the names of the bands, beside the plot. */
export function bandNames() {
  return bands.map(({ state, min_score: min, max_score: max }) => {
    const style = `top: ${plot.yOf(scores, (min + max + 1) / 2)}%`;
    return h('span.band-name', { class: state, 'aria-hidden': 'true', style }, words(state));
  });
}

/** Returns a segment for each time during which the state was the same, with its name if there is room. */
function holdStrip(extent: plot.Extent, points: readonly Point[], nowMs: number) {
  const holds = holdsOf(points, nowMs).filter(({ fromMs, toMs }) => toMs > extent.fromMs && fromMs < extent.toMs);
  const segments = holds.map(({ state, fromMs, toMs }) => {
    const [from, to] = [fromMs, toMs].map((it) => 100 * plot.shareOf(extent, it));
    const title = `${label(state)}, ${timeOfDay(fromMs, 'seconds')} to ${timeOfDay(toMs, 'seconds')}`;
    const style = `left: ${from}%; width: ${(to ?? 0) - (from ?? 0)}%`;
    return h('span.hold', { class: state, title, style }, h('span', label(state)));
  });
  return h('div.plot.holds', h('span.bound', 'State'), segments);
}

/** Returns the times of the labels of the time axis. */
function listTicks({ fromMs, toMs }: plot.Extent): Array<[atMs: number, text: string]> {
  const stepMs = tickSteps.find((step) => (toMs - fromMs) / step <= ticksMax) ?? 60 * minute;
  const first = Math.ceil(fromMs / stepMs) * stepMs;
  const times = Array.from({ length: Math.floor((toMs - first) / stepMs) + 1 }, (_, index) => first + index * stepMs);
  return times.map((atMs) => [atMs, timeOfDay(atMs, stepMs < minute ? 'seconds' : 'minutes')]);
}

function describePoint(point: Point, nowMs: number): string {
  const { atMs, stress_score, topics_detected = [], heart_rate, evidence } = point;
  const rate = heart_rate === undefined ? [] : [`${Math.round(heart_rate)} bpm`];
  const score = evidence ? 'unknown' : `score ${stress_score}, ${words(shownState(point))}`;
  const facts = [score, ...rate, ...topics_detected.map(words)];
  return [whenOf(atMs, nowMs), ...facts].join(' · ');
}

function describe(points: readonly Point[], nowMs: number): string {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return 'Stress score and heart rate: no readings.';
  const all = withEvidence(points).map((it) => it.stress_score);
  const time = `${whenOf(first.atMs, nowMs)} to ${whenOf(last.atMs, nowMs)}`;
  const range =
    all.length === 0 ? 'no known score' : `score from ${Math.min(...all)} to ${Math.max(...all)}, last ${all.at(-1)}`;
  const changes = count(countChanges(points), 'change');
  return `Stress score and heart rate, ${time}: ${count(points.length, 'reading')}, ${range}, ${changes} of the state.`;
}
