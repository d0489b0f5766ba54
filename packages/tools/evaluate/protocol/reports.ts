import type { Feedback } from '../../../client/src/index.js';
import { feedback as settings, summaries } from '../../../../generated/spec.js';
import { groupBySubject, type RecordedWindow } from '../../recordings/recorded-window.js';
import { connect, explain, type ServiceOptions } from '../../service.js';

/** Labels of rows with a report. A row without a report has no label. */
export const reportLabels = { stressed: 'reported stressed', rest: 'reported not stressed' };

/** What people reported to a running service. */
export type Report = Pick<Feedback, 'subject_id' | 'session_id' | 'timestamp' | 'duration_seconds' | 'stress'>;

const remedies = { 403: ': the key requires the scope read' };

/** Downloads the reports of the account about times since `fromMs`. */
export async function downloadReports(options: ServiceOptions, fromMs: number): Promise<Report[]> {
  const reports: Report[] = [];
  try {
    // The newest reports are first.
    for await (const report of connect(options).feedback()) {
      if (Date.parse(report.timestamp) < fromMs) break;
      reports.push(report);
    }
  } catch (error) {
    throw explain(error, options.url, remedies);
  }
  return reports;
}

/**
 * Labels the rows that reports are about. A report about an interval is about each row of the person in it. A report about a
 * moment is about the newest row up to it, at most 300 seconds older. The newest report about a row counts.
 */
export function labelByReports(windows: readonly RecordedWindow[], reports: readonly Report[]): RecordedWindow[] {
  const labels = new Map<RecordedWindow, string>();
  const byTime = [...reports].sort((a, b) => (a.timestamp < b.timestamp ? -1 : 1));
  const people = groupBySubject(windows);
  for (const { subject_id, session_id, timestamp, duration_seconds, stress } of byTime) {
    const untilMs = Date.parse(timestamp);
    const afterMs = untilMs - 1000 * (duration_seconds ?? summaries.state_seconds_max);
    const rows = people.get(subject_id ?? session_id ?? '') ?? [];
    const during = rows.filter(({ atMs = -Infinity }) => atMs > afterMs && atMs <= untilMs);
    const label = stress >= settings.stressed_from ? reportLabels.stressed : reportLabels.rest;
    for (const row of duration_seconds === undefined ? during.slice(-1) : during) labels.set(row, label);
  }
  return windows.map((window) => {
    const label = labels.get(window) ?? '';
    return { ...window, label, task: window.task || label };
  });
}
