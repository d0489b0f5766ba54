import { bands, scoreMax } from '../../../../generated/spec.js';
import { bandAreas, bandNames } from '../chart/chart.js';
import * as plot from '../chart/plot.js';
import { h } from '../../../ui/dom.js';
import { count } from '../../../ui/format.js';
import type { Day } from '../../../sentence/calendar.js';
import { firstDayHint, type Hour, hourMs, hoursOf } from './hours.js';
import { timeAxis } from './period.js';
import { comparedDaysMin, findUsualHours } from '../../../sentence/usual.js';

const scores: plot.Bounds = [0, scoreMax];

/** Returns the mean score of each hour of a day, on the band of the usual scores of other days. */
export function dayChart(day: Day, hours: readonly Hour[], firstMs: number | undefined) {
  const values = hoursOf(hours, day).flatMap(({ atMs, stress_score: score }) =>
    score ? [{ atMs: atMs + hourMs / 2, value: score.mean }] : [],
  );
  const usual = findUsualHours(hours, day.fromMs).map((it) => ({
    ...it,
    atMs: new Date(day.fromMs).setHours(it.hour),
  }));
  const areas = usual.map(({ atMs, low, high }) => {
    const [top, bottom] = [plot.yOf(scores, high), plot.yOf(scores, low)];
    return plot.span('usual', day, { fromMs: atMs, toMs: atMs + hourMs }, [top, Math.max(bottom, top + 1)]);
  });
  const above = values.filter((it) => usual.some(({ atMs, high }) => atMs + hourMs / 2 === it.atMs && it.value > high));
  const days = usual.map((it) => it.days);
  const others = `${Math.min(...days)} to ${count(Math.max(...days), 'other day')}`;
  const measured = `Mean score of ${count(values.length, 'hour')}`;
  const label = usual.length > 0 ? `${measured}, ${above.length} above the usual scores` : measured;
  return [
    h(
      'div.plot.score-plot',
      plot.axis(scores, [...bands.map(({ min_score: min }) => min), scoreMax]),
      bandNames(),
      plot.drawing('svg', label, bandAreas(), areas, plot.line('line-score', day, scores, values, hourMs)),
    ),
    timeAxis({ ...day, days: [day], span: 'day' }),
    h(
      'p.hint',
      'Line: mean score of each hour. ',
      usual.length > 0
        ? `Gray: the middle half of ${others} at the same hour.`
        : `Usual scores require ${comparedDaysMin} other days that were measured at the same hour.`,
    ),
    firstMs !== undefined && firstMs >= day.fromMs && firstMs < day.toMs && h('p.hint', firstDayHint),
  ];
}
