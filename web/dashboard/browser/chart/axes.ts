import { bands, stressModel } from '../../../../generated/spec.js';
import { svg } from '../dom.js';
import { timeOfDay, words } from '../format.js';
import { type Layout, ticksOf, xOf, yOf } from './layout.js';

const { score_max: scoreMax } = stressModel;
/** On narrower charts, names of bands would cover the line. */
const namesFromWidth = 560;

/** Returns the bands behind the score, with their names and lower bounds. */
export function bandsOf({ left, right, width, score }: Layout): SVGElement[] {
  const label = (value: number) =>
    svg('text', { class: 'tick', x: left - 7, y: yOf(score, value, 0, scoreMax) + 4, 'text-anchor': 'end' }, value);
  const areas = bands.flatMap(({ state, min_score: min }, index) => {
    const top = yOf(score, bands[index + 1]?.min_score ?? scoreMax, 0, scoreMax);
    const bottom = yOf(score, min, 0, scoreMax);
    const place = { x: left, y: top, width: right - left, height: bottom - top };
    return [
      svg('rect', { class: `band ${state}`, ...place }),
      label(min),
      ...(width < namesFromWidth
        ? []
        : [svg('text', { class: `band-name ${state}`, x: left + 8, y: top + 15 }, words(state))]),
    ];
  });
  return [...areas, label(scoreMax)];
}

/** Returns the grid of the heart rate, labelled at its bounds. */
export function heartAxis({ left, right, heart }: Layout, [low, high]: readonly [number, number]): SVGElement[] {
  const lines = [low, (low + high) / 2, high].map((rate) => {
    const y = yOf(heart, rate, low, high);
    return svg('line', { class: 'grid', x1: left, x2: right, y1: y, y2: y });
  });
  const labels = [low, high].map((rate) => {
    const y = yOf(heart, rate, low, high) + 4;
    return svg('text', { class: 'tick', x: left - 7, y, 'text-anchor': 'end' }, rate);
  });
  return [...lines, ...labels, svg('text', { class: 'plot-name', x: left, y: heart.top - 8 }, 'Heart rate, bpm')];
}

export function timeAxis(layout: Layout): SVGElement[] {
  return ticksOf(layout).flatMap((atMs) => {
    const x = xOf(layout, atMs);
    // A label at the edge would be cut off.
    if (x < layout.left + 16 || x > layout.right - 14) return [];
    return [
      svg('line', { class: 'grid', x1: x, x2: x, y1: layout.score.top, y2: layout.score.bottom }),
      svg('line', { class: 'grid', x1: x, x2: x, y1: layout.heart.top, y2: layout.heart.bottom }),
      svg('text', { class: 'tick', x, y: layout.height - 6, 'text-anchor': 'middle' }, timeOfDay(atMs)),
    ];
  });
}
