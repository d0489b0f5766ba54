/** Prints the days of a person. */
import type { SubjectSummary, SummaryFilter, SummaryRow } from '../client/src/index.js';
import { bands } from '../../generated/spec.js';
import { type Column, figureColumns, textTable } from './terminal/table.js';
import { connect, explain, type ServiceOptions } from './service.js';

export interface ReportOptions extends ServiceOptions {
  readonly subject: string;
  /** At most one is true. Without them, the report has a week. */
  readonly day?: boolean;
  readonly week?: boolean;
  readonly month?: boolean;
  readonly timeZone: string;
  readonly json: boolean;
}

const hourMs = 3_600_000;
const states = bands.map(({ state }) => state);
const columns: Column[] = [{ title: 'day' }, ...figureColumns('readings', 'hours', ...states, 'score', 'heart rate')];
const remedies = {
  404: ': check --subject, which is case-sensitive, and whether the key belongs to its account',
  422: ': check --subject and --time-zone',
};

export async function report(options: ReportOptions): Promise<void> {
  const { subject, timeZone, json, url } = options;
  const days = options.month ? 30 : options.day ? 1 : 7;
  if ([options.day, options.week, options.month].filter(Boolean).length > 1)
    throw new Error('pass only one of --day, --week and --month');
  const client = connect(options);
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
}

function toCells({ date = '', readings, state_seconds, stress_score, heart_rate }: SummaryRow): string[] {
  const total = sum(Object.values(state_seconds));
  const shares = states.map((state) => `${total === 0 ? 0 : Math.round((100 * state_seconds[state]) / total)} %`);
  const means = [stress_score, heart_rate].map((range) => (range ? `${range.mean} (${range.min}–${range.max})` : ''));
  return [date, readings.toLocaleString('en'), (total / 3600).toFixed(1), ...shares, ...means];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
