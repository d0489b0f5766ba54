import { bands, scoreMax } from '../../../../generated/spec.js';
import { svg } from '../dom.js';
import { timeOfDay, words } from '../format.js';
import { hasBandNames, type Layout, ticksOf, xOf, yOf } from './layout.js';

/** Returns the bands behind the score with their lower bounds, and with their names beside the plot. */
export function bandsOf(layout: Layout): SVGElement[] {
  const { left, right, score } = layout;
  const areas = bands.flatMap(({ state, min_score: min }, index) => {
    const top = yOf(score, bands[index + 1]?.min_score ?? scoreMax, 0, scoreMax);
    const bottom = yOf(score, min, 0, scoreMax);
    const name = { class: `band-name ${state}`, x: right + 8, y: (top + bottom) / 2 + 4 };
    return [
      svg('rect', { class: `band ${state}`, x: left, y: top, width: right - left, height: bottom - top }),
      gutterLabel(layout, bottom, min),
      ...(hasBandNames(layout) ? [svg('text', name, words(state))] : []),
    ];
  });
  return [...areas, gutterLabel(layout, score.top, scoreMax)];
}

/** Returns the grid of the heart rate, with three labels. */
export function heartAxis(layout: Layout, [low, high]: readonly [number, number]): SVGElement[] {
  const { left, right, heart } = layout;
  const lines = [low, (low + high) / 2, high].map((rate) => {
    const y = yOf(heart, rate, low, high);
    return svg('line', { class: 'grid', x1: left, x2: right, y1: y, y2: y });
  });
  const labels = [low, (low + high) / 2, high].map((rate) => gutterLabel(layout, yOf(heart, rate, low, high), rate));
  return [...lines, ...labels, svg('text', { class: 'plot-name', x: left, y: heart.top - 8 }, 'Heart rate, bpm')];
}

export function timeAxis(layout: Layout): SVGElement[] {
  const { times, seconds } = ticksOf(layout);
  const halfLabel = seconds ? 26 : 17;
  return times.flatMap((atMs) => {
    const x = xOf(layout, atMs);
    // A label at the edge would be cut off.
    if (x < layout.left || x < halfLabel || x > layout.width - halfLabel) return [];
    return [
      svg('line', { class: 'grid', x1: x, x2: x, y1: layout.score.top, y2: layout.score.bottom }),
      svg('line', { class: 'grid', x1: x, x2: x, y1: layout.heart.top, y2: layout.heart.bottom }),
      svg(
        'text',
        { class: 'tick', x, y: layout.height - 6, 'text-anchor': 'middle' },
        timeOfDay(atMs, seconds ? 'seconds' : 'minutes'),
      ),
    ];
  });
}

/** Returns a label at the left of a plot. */
export function gutterLabel({ left }: Layout, y: number, text: string | number): SVGElement {
  return svg('text', { class: 'tick', x: left - 7, y: y + 4, 'text-anchor': 'end' }, text);
}
