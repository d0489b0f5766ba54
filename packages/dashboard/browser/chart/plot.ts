/**
 * The parts of every chart. A drawing is SVG that its place stretches, so the stylesheet colors it in light and dark, and
 * the content security policy needs no exception. Its labels are HTML beside it, which keeps its size.
 */
import { type Content, h, svg } from '../../../ui/dom.js';

/** Size of a drawing in its own units. */
export const plotWidth = 1_000;
export const plotHeight = 100;

/** A time that a chart shows, epoch ms. */
export interface Extent {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The lowest and the highest value of an axis. */
export type Bounds = readonly [low: number, high: number];

/** Returns the share of the extent before a time, from 0 to 1. */
export function shareOf({ fromMs, toMs }: Extent, atMs: number): number {
  return Math.min(Math.max((atMs - fromMs) / (toMs - fromMs), 0), 1);
}

export function xOf(extent: Extent, atMs: number): number {
  return shareOf(extent, atMs) * plotWidth;
}

export function yOf([low, high]: Bounds, value: number): number {
  return plotHeight * (1 - (value - low) / (high - low));
}

/** Returns a drawing. It is an image with this name, unless it is part of a larger image. */
export function drawing(name: string, label: string | undefined, ...content: readonly Content[]): SVGElement {
  const role = label === undefined ? { 'aria-hidden': 'true' } : { role: 'img', 'aria-label': label };
  return svg(name, { ...role, viewBox: `0 0 ${plotWidth} ${plotHeight}`, preserveAspectRatio: 'none' }, ...content);
}

/** Returns a rectangle from one time to another. A `title` names it under the pointer. */
export function span(name: string, extent: Extent, of: Extent, [top, bottom]: Bounds, title?: string, widthMin = 1) {
  const x = xOf(extent, of.fromMs);
  const width = Math.max(xOf(extent, of.toMs) - x, widthMin);
  return svg(`rect.${name}`, { x, y: top, width, height: bottom - top }, title !== undefined && svg('title', title));
}

/** Returns vertical lines. */
export function gridLines(extent: Extent, times: readonly number[]): SVGElement[] {
  return times.map((atMs) => svg('line.grid', { x1: xOf(extent, atMs), x2: xOf(extent, atMs), y2: plotHeight }));
}

/** Returns a horizontal line. */
export function level(name: string, bounds: Bounds, value: number): SVGElement {
  return svg(`line.${name}`, { x2: plotWidth, y1: yOf(bounds, value), y2: yOf(bounds, value) });
}

/** Returns the labels of an axis, beside the drawing, so that no line crosses them. */
export function axis(bounds: Bounds, values: readonly number[], unit = ''): HTMLElement[] {
  const highest = Math.max(...values);
  return values.map((value) => {
    const text = value === highest ? `${value}${unit}` : String(value);
    return h('span.bound', { 'aria-hidden': 'true', style: `top: ${yOf(bounds, value)}%` }, text);
  });
}

/** Returns the labels of the time. A label at the right edge would be cut off. */
export function timeAxis(extent: Extent, labels: ReadonlyArray<readonly [atMs: number, text: string]>): HTMLElement {
  const shown = labels.filter(([atMs]) => shareOf(extent, atMs) <= 0.9);
  return h(
    'div.time-axis',
    { 'aria-hidden': 'true' },
    shown.map(([atMs, text]) => h('span', { style: `left: ${shareOf(extent, atMs) * 100}%` }, text)),
  );
}

export interface Value {
  readonly atMs: number;
  readonly value: number;
}

/** Returns a line through the values, and a dot for a single one. A longer pause than `pauseMs` leaves a gap. */
export function line(name: string, extent: Extent, bounds: Bounds, values: readonly Value[], pauseMs: number) {
  const runs: Value[][] = [];
  for (const [index, value] of values.entries()) {
    const last = values[index - 1];
    if (!last || value.atMs - last.atMs > pauseMs) runs.push([]);
    runs.at(-1)?.push(value);
  }
  const place = ({ atMs, value }: Value) => `${xOf(extent, atMs).toFixed(1)} ${yOf(bounds, value).toFixed(1)}`;
  // A line without length has round caps, so it draws a dot.
  return runs.map((run) =>
    svg(`path.${name}`, { d: `M${run.map(place).join('L')}h0`, class: run.length === 1 && 'dot' }),
  );
}

/** Returns bounds of the heart rate in tens around the rates, at least 20 bpm apart. */
export function heartBounds(rates: readonly number[]): Bounds {
  const low = Math.floor(Math.min(...rates) / 10) * 10;
  const high = Math.ceil(Math.max(...rates) / 10) * 10;
  return high - low >= 20 ? [low, high] : [low - 10, Math.max(high, low + 10)];
}

/** Distances of the labels of the heart rate, bpm. */
const heartSteps = [5, 10, 20, 25, 50];

/** Returns the heart rate with its axis. `content` is behind the line, e.g. a band. */
export function heartPlot(bounds: Bounds, label: string | undefined, ...content: readonly Content[]) {
  const [low, high] = bounds;
  const step = heartSteps.find((it) => (high - low) / it <= 5) ?? 50;
  const ticks = Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, index) => low + index * step);
  const grid = ticks.map((bpm) => level('grid', bounds, bpm));
  return h('div.plot.heart-plot', axis(bounds, ticks, ' bpm'), drawing('svg', label, grid, content));
}
