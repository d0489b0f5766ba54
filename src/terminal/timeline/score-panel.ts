import { bands } from '../../../generated/spec.js';
import type { State } from '../../contract.js';
import { colours, text } from '../svg.js';
import {
  axisText,
  axisTitle,
  dot,
  line,
  plot,
  rect,
  type Scale,
  score,
  strip,
  type TimelinePoint,
  yIn,
} from './layout.js';

/** Space that the name of a state requires, px. */
const nameWidth = 78;

const bandColours: Readonly<Record<State, string>> = {
  calm: '#14b8a6',
  relaxed: '#84b91f',
  focused: '#eab308',
  stressed: '#f97316',
  acute_stress: '#dc2f45',
};

/** Draws the bands of the states behind the score. */
export function drawBands(): string[] {
  return [
    ...bands.flatMap(({ state, min_score, max_score }, index) => {
      const top = index === bands.length - 1 ? max_score : max_score + 1;
      const [from, to] = [scoreY(min_score), scoreY(top)];
      return [
        rect(plot.left, to, plot.right - plot.left, from - to, bandColours[state], 0.13),
        axisText(from, String(min_score)),
        text(plot.right + 10, (from + to) / 2 + 4, state, { size: 12, fill: colours.faint }),
      ];
    }),
    axisText(scoreY(100), '100'),
    axisTitle(score, 'stress score'),
  ];
}

/** With more dots, they hide the score. */
const dotsMax = 40;

/** Draws the score, which stays published until the next reading, and a dot per state change if they are few. */
export function drawScore(points: readonly TimelinePoint[], { xOf }: Scale): string[] {
  const steps = points.flatMap((point, index) => {
    const y = scoreY(point.score);
    const next = points[index + 1]?.second ?? point.second;
    return [[xOf(point.second), y] as const, [xOf(next), y] as const];
  });
  const changes = points.filter(({ state }, index) => index > 0 && state !== points[index - 1]?.state);
  const dotted = changes.length > dotsMax ? [] : changes;
  return [
    line(steps, colours.text),
    ...dotted.map(({ second, score: at, state }) => dot([xOf(second), scoreY(at)], bandColours[state], 4.5)),
  ];
}

/** Draws the states as a strip, with their names where there is room. */
export function drawStates(points: readonly TimelinePoint[], { xOf, end }: Scale): string[] {
  const starts = points.filter(({ state }, index) => state !== points[index - 1]?.state);
  const runs = starts.map(({ state, second }, index) => {
    const [from, to] = [xOf(second), xOf(starts[index + 1]?.second ?? end)];
    const name = text((from + to) / 2, strip.bottom - 5, state, { size: 11, anchor: 'middle' });
    const block = rect(from, strip.top, Math.max(1, to - from), strip.bottom - strip.top, bandColours[state], 0.45);
    return to - from >= nameWidth ? block + name : block;
  });
  return [...runs, axisText((strip.top + strip.bottom) / 2, 'state')];
}

function scoreY(points: number): number {
  return yIn(score, points / 100);
}
