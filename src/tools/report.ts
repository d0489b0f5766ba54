/** Prints the days of a person, and draws their hours. */
import type { SubjectSummary, SummaryFilter, SummaryRow } from '../../clients/typescript/src/index.js';
import { bands } from '../../generated/spec.js';
import type { State } from '../contract.js';
import { requireWritable, save } from '../terminal/save.js';
import { colors, picture, round, text } from '../terminal/svg.js';
import { type Column, textTable } from '../terminal/table.js';
import { bandColors } from '../terminal/timeline.js';
import { connect, explain, type ServiceOptions } from './service.js';

export interface ReportOptions extends ServiceOptions {
  readonly subject: string;
  /** At most one is true. Without them, the report has a week. */
  readonly day?: boolean;
  readonly week?: boolean;
  readonly month?: boolean;
  readonly timeZone: string;
  readonly json: boolean;
  /** Path of an SVG of the hours. */
  readonly plot?: string;
}

const hourMs = 3_600_000;
const states = bands.map(({ state }) => state);
const columns: Column[] = [
  { title: 'day' },
  ...['readings', 'hours', ...states, 'score', 'heart rate'].map((title) => ({ title, align: 'right' }) as const),
];
const remedies = {
  404: ': check --subject, which is case-sensitive, and whether the key belongs to its account',
  422: ': check --subject and --time-zone',
};

export async function report(options: ReportOptions): Promise<void> {
  const { subject, timeZone, json, plot, url } = options;
  const days = options.month ? 30 : options.day ? 1 : 7;
  if ([options.day, options.week, options.month].filter(Boolean).length > 1)
    throw new Error('pass only one of --day, --week and --month');
  const client = connect(options);
  if (plot !== undefined) await requireWritable('--plot', plot);
  // The service extends the range to whole days. `to` is later than `from` also for one day.
  const inFuture = (ms: number) => new Date(Date.now() + ms).toISOString();
  const [from, to] = [inFuture((1 - days) * 24 * hourMs), inFuture(60_000)];
  const read = async (filter: SummaryFilter): Promise<SubjectSummary> => {
    try {
      return await client.summary(subject, filter);
    } catch (error) {
      throw explain(error, url, remedies);
    }
  };
  // A month has 30 days and at most 745 hours, so each summary has one page.
  const summary = await read({ ...{ from, to }, interval: 'day', time_zone: timeZone });
  if (json) console.log(JSON.stringify(summary));
  else if (summary.rows.length === 0) console.log(`No readings since ${from.slice(0, 10)}.`);
  else console.log(textTable(columns, [summary.rows.map(toCells)]));
  if (plot === undefined) return;
  const hours = await read({ from: summary.from, to: summary.to });
  await save(plot, drawHours({ subject, timeZone, rows: hours.rows }), '--plot');
}

function toCells({ date = '', readings, state_seconds, stress_score, heart_rate }: SummaryRow): string[] {
  const total = sum(Object.values(state_seconds));
  const shares = states.map((state) => `${total === 0 ? 0 : Math.round((100 * state_seconds[state]) / total)} %`);
  const means = [stress_score, heart_rate].map((range) => (range ? `${range.mean} (${range.min}–${range.max})` : ''));
  return [date, readings.toLocaleString('en'), (total / 3600).toFixed(1), ...shares, ...means];
}

export interface Hours {
  readonly subject: string;
  readonly timeZone: string;
  readonly rows: readonly Pick<SummaryRow, 'start' | 'state_seconds'>[];
}

const plot = { left: 100, right: 820, top: 70, row: 26, bar: 18 };
const hourWidth = (plot.right - plot.left) / 24;

/**
 * Returns an SVG with one strip per day and the local hours across. The width of a state in an hour is its share of the
 * hour. The two hours of a clock that is set back share one place.
 */
export function drawHours({ subject, timeZone, rows }: Hours): string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  const cells = new Map<string, Hours['rows'][number]['state_seconds'][]>();
  for (const { start, state_seconds } of rows) {
    const place = format.format(Date.parse(start)).slice(0, 'yyyy-mm-dd hh'.length);
    cells.set(place, [...(cells.get(place) ?? []), state_seconds]);
  }
  const days = [...new Set([...cells.keys()].map((place) => place.slice(0, 10)))].sort();
  const toY = (index: number) => plot.top + index * plot.row;
  const bottom = toY(days.length);
  const drawCell = ([place, hours]: [string, readonly Record<State, number>[]]) => {
    const y = toY(days.indexOf(place.slice(0, 10)));
    let x = plot.left + Number(place.slice(11)) * hourWidth;
    return states.map((state) => {
      const share = sum(hours.map((seconds) => seconds[state])) / (hours.length * 3600);
      const rect = `<rect x="${round(x)}" y="${y}" width="${round(share * hourWidth)}" height="${plot.bar}"`;
      x += share * hourWidth;
      return share === 0 ? '' : `${rect} fill="${bandColors[state]}"/>`;
    });
  };
  const marks = [0, 3, 6, 9, 12, 15, 18, 21, 24].flatMap((hour) => {
    const x = round(plot.left + hour * hourWidth);
    return [
      `<line x1="${x}" x2="${x}" y1="${plot.top - 4}" y2="${bottom}" stroke="${colors.grid}"/>`,
      text(x, bottom + 16, String(hour), { size: 11.5, anchor: 'middle', fill: colors.faint }),
    ];
  });
  const legend = states.flatMap((state, index) => {
    const x = plot.left + index * 130;
    const swatch = `<rect x="${x}" y="${bottom + 32}" width="12" height="12" fill="${bandColors[state]}"/>`;
    return [swatch, text(x + 18, bottom + 42, state, { size: 12 })];
  });
  return picture(
    {
      ...{ width: 860, height: bottom + 60, left: plot.left, title: 'States by hour' },
      subtitle: `Person ${subject}, time in ${timeZone}. The width of a state is its share of the hour`,
    },
    [
      ...marks,
      ...days.map((day, index) => text(plot.left - 10, toY(index) + 13, day, { size: 12, anchor: 'end' })),
      ...[...cells].flatMap(drawCell),
      ...legend,
    ],
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
