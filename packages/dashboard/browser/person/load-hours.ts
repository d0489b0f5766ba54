import type { SummaryRow } from '../../../client/src/index.js';
import type { Service } from '../service.js';
import { type Day, timeZone } from './calendar.js';
import type { Hour } from './hours.js';

/** Returns the measured hours of a period, oldest first. Rejects with the error of the request. */
export async function loadHours(service: Service, subjectId: string, period: Day, signal: AbortSignal) {
  const rows = await loadRows(service, subjectId, period, {}, signal);
  return rows.map((row): Hour => ({ ...row, atMs: Date.parse(row.start) }));
}

/** Returns the summaries of the days of a period, in the reader's time zone. */
export function loadDays(service: Service, subjectId: string, period: Day, signal: AbortSignal) {
  return loadRows(service, subjectId, period, { interval: 'day', time_zone: timeZone() }, signal);
}

async function loadRows(
  service: Service,
  subjectId: string,
  { fromMs, toMs }: Day,
  rowsPer: { interval?: 'day'; time_zone?: string },
  signal: AbortSignal,
): Promise<SummaryRow[]> {
  const range = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
  const rows: SummaryRow[] = [];
  for await (const row of service.summary(subjectId, { ...range, ...rowsPer }, { signal })) rows.push(row);
  return rows;
}
