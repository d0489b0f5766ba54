import type { State, StateClient, SummaryRow } from '../../../client/src/index.js';
import { bands } from '../../../../generated/spec.js';
import { count, sum, words } from '../../../ui/format.js';
import { type Day, timeZone } from '../../../sentence/calendar.js';
import { measureStress, type NotObserved } from '../../../sentence/usual.js';

export const hourMs = 3_600_000;
export const firstDayHint = 'First stored day: less certain if the service did not know the person yet.';
export const states: readonly State[] = bands.map(({ state }) => state);

/** A measured hour. It starts at a full hour of UTC. */
export type Hour = SummaryRow & { readonly atMs: number };

type Summaries = Pick<StateClient, 'summary'>;
export type Seconds = Readonly<Record<State, number>>;

/** Returns the hours that overlap a day. In some time zones, an hour overlaps two days. */
export function hoursOf(hours: readonly Hour[], { fromMs, toMs }: Day): Hour[] {
  return hours.filter(({ atMs }) => atMs + hourMs > fromMs && atMs < toMs);
}

export function sumSeconds(rows: readonly Pick<SummaryRow, 'state_seconds'>[]): Seconds {
  const sums = states.map((state) => [state, sum(rows.map((row) => row.state_seconds[state]))]);
  return Object.fromEntries(sums) as Seconds;
}

/** Returns e.g. `2 h 5 min`. */
export function duration(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  if (minutes === 0) return seconds > 0 ? 'under 1 min' : '0 min';
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [...(hours > 0 ? [`${hours} h`] : []), ...(rest > 0 ? [`${rest} min`] : [])].join(' ');
}

/** Returns the time of stress, e.g. `12 min of stress`. The empty text for none. A single reading has no duration. */
export function describeStress(rows: readonly SummaryRow[]): string {
  const { seconds, lone } = measureStress(rows);
  if (seconds > 0) return `${duration(seconds)} of stress`;
  return lone === 0 ? '' : `stress in ${count(lone, 'single reading')}`;
}

/** Returns the time in each state, e.g. `relaxed 40 min, stressed 12 min`. */
export function describeStates(seconds: Seconds): string {
  const shown = states.filter((state) => seconds[state] > 0);
  if (shown.length === 0) return 'not measured';
  return shown.map((state) => `${words(state)} ${duration(seconds[state])}`).join(', ');
}

/** Measured hours, oldest first, and the times in which the service did not run. */
export interface LoadedHours {
  readonly hours: readonly Hour[];
  readonly absences: NotObserved;
}

/** Returns the measured hours of a period. Rejects with the error of the request. */
export async function loadHours(
  service: Summaries,
  subjectId: string,
  period: Day,
  signal: AbortSignal,
): Promise<LoadedHours> {
  const { rows, absences } = await loadRows(service, subjectId, period, {}, signal);
  return { hours: rows.map((row) => ({ ...row, atMs: Date.parse(row.start) })), absences };
}

/** Returns the summaries of the days of a period, in the reader's time zone. */
export async function loadDays(service: Summaries, subjectId: string, period: Day, signal: AbortSignal) {
  return (await loadRows(service, subjectId, period, { interval: 'day', time_zone: timeZone() }, signal)).rows;
}

async function loadRows(
  service: Summaries,
  subjectId: string,
  { fromMs, toMs }: Day,
  rowsPer: { interval?: 'day'; time_zone?: string },
  signal: AbortSignal,
) {
  const range = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
  const rows: SummaryRow[] = [];
  let absences: NotObserved = [];
  for await (const page of service.summary(subjectId, { ...range, ...rowsPer }, { signal }).pages()) {
    rows.push(...page.rows);
    absences = page.not_observed ?? [];
  }
  return { rows, absences };
}
