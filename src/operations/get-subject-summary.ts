import { summaries as settings } from '../../generated/spec.js';
import type { Input } from '../contract/contract.js';
import { createValidationError, ProblemError } from '../contract/problem.js';
import {
  type Calendar,
  createDayCalendar,
  floorHour,
  hourCalendar,
  hourMs,
  toRows,
} from '../../packages/score/summary.js';
import { computeHours } from '../retention/hours.js';
import type { SlicedScope } from '../store/scope.js';
import { toNotObserved } from '../store/service-runs.js';
import { createHourReader, findFirstTime } from '../store/subject-hours.js';
import { createSubjectReader } from '../store/subjects.js';
import { createTriggerReader } from '../store/triggers.js';
import type { OperationRecord } from './operation.js';
import { createCursors } from './page.js';

const dayMs = 24 * hourMs;
/** Readings may have timestamps up to a minute ahead, so the present hour or the next one is the last with data. */
const aheadMs = hourMs;

/** The hours of a request, as starts of rows, in epoch ms. */
interface Span {
  readonly fromMs: number;
  readonly toMs: number;
  readonly pageMs: number;
}

const anyTime = '-?\\d{1,15}';
const cursors = createCursors<Span>({ fromMs: anyTime, toMs: anyTime, pageMs: anyTime });

/** Returns a page of the hours or days of a subject. */
export const getSubjectSummary: OperationRecord<'getSubjectSummary', 'store' | 'now' | 'pause' | 'absences'> = {
  personalData: 'reads',
  tool: {
    name: 'get_subject_summary',
    title: 'Get hours or days of a person',
    description: 'Get the states, score and heart rate of a person by hour or by day, over days or weeks.',
    leading: ['rows'],
  },
  async handle({ store, now, pause, absences }, { params: { subject_id }, query }, { accountId }) {
    const nowMs = now();
    const { interval = 'hour', time_zone: timeZone = 'UTC' } = query;
    const calendar = readCalendar(query);
    const span = query.cursor === undefined ? readSpan(query, calendar, nowMs) : cursors.read(query.cursor);
    const scope = store.read(accountId, pause);
    const subject = await createSubjectReader(scope).find(subject_id);
    const isKnown = subject || (await createTriggerReader(scope).ofSubject(subject_id)).size > 0;
    if (!isKnown) throw new ProblemError('subject_not_found');
    const { rows, nextMs } = await readPage(scope, {
      subjectId: subject_id,
      calendar,
      span,
      nowMs,
      raisedHours: subject?.baseline?.course?.raisedHours,
    });
    const [from, to] = [span.fromMs, span.toMs].map((ms) => new Date(ms).toISOString()) as [string, string];
    const next_cursor = nextMs === undefined ? null : cursors.write({ ...span, pageMs: nextMs });
    const body = { subject_id, interval, time_zone: timeZone, from, to, rows, next_cursor };
    return { status: 200, body: { ...body, ...toNotObserved(absences(), span.fromMs, span.toMs) } };
  },
};

type Query = Input<'getSubjectSummary'>['query'];

/** Throws a ProblemError if the time zone is unknown, or given for hours. */
function readCalendar({ interval = 'hour', time_zone: timeZone }: Query): Calendar {
  if (interval === 'hour') {
    if (timeZone === undefined) return hourCalendar;
    throw createValidationError('time_zone_of_hours', { parameter: 'time_zone' });
  }
  const calendar = createDayCalendar(timeZone ?? 'UTC');
  if (!calendar) throw createValidationError('time_zone_invalid', { parameter: 'time_zone' });
  return calendar;
}

/** Extends the requested range to whole rows. Throws a ProblemError if the range is empty. */
function readSpan({ interval = 'hour', from, to }: Query, { findStart, findEnd }: Calendar, nowMs: number): Span {
  // Includes the hour that begins now.
  const untilMs = to === undefined ? nowMs + 1 : Date.parse(to);
  const sinceMs = from === undefined ? untilMs - settings.default_days[interval] * dayMs : Date.parse(from);
  if (sinceMs >= untilMs) throw createValidationError('range_empty', { parameter: 'from' });
  const fromMs = findStart(sinceMs);
  return { fromMs, toMs: findEnd(untilMs - 1), pageMs: fromMs };
}

interface PageRequest {
  readonly subjectId: string;
  readonly calendar: Calendar;
  readonly span: Span;
  readonly nowMs: number;
  /** See `HeartCourse`. */
  readonly raisedHours: readonly number[] | undefined;
}

/**
 * Reads a page. Computes the hours of stored readings first and reads the stored hours after that: a purge stores an
 * hour before it deletes the readings, so the page misses none. `nextMs` is undefined on the last page.
 */
async function readPage(scope: SlicedScope, { subjectId, calendar, span, nowMs, raisedHours }: PageRequest) {
  const { findStart, findEnd } = calendar;
  const first = {
    hoursMs: await createHourReader(scope).firstHour(subjectId),
    readingsMs: await findFirstTime(scope, subjectId),
  };
  const lastMs = Math.min(span.toMs, findEnd(nowMs + aheadMs));
  const firstMs = Math.min(first.hoursMs, first.readingsMs);
  if (firstMs >= lastMs) return { rows: [], nextMs: undefined };
  const fromMs = findStart(Math.max(span.pageMs, firstMs));
  const intervalMs = calendar.isDaily ? dayMs : hourMs;
  const toMs = Math.min(lastMs, findStart(fromMs + settings.page_intervals * intervalMs));
  let readings = 0;
  const onRead = (found: ReadonlyArray<{ readonly timestampMs: number }>) => {
    readings += found.length;
    const endMs = findStart(found.at(-1)?.timestampMs ?? fromMs);
    return readings > settings.page_readings && endMs > fromMs ? endMs : undefined;
  };
  const readingsMs = Math.max(fromMs, floorHour(Math.min(first.readingsMs, toMs)));
  const computed = await computeHours(scope, { subjectId, fromMs: readingsMs, toMs, nowMs, onRead });
  const { throughMs } = computed;
  const stored = await createHourReader(scope).stored(subjectId, fromMs, throughMs);
  const hours = new Map([...computed.hours, ...stored.map((hour) => [hour.startMs, hour] as const)]);
  const ascending = [...hours.values()].sort((a, b) => a.startMs - b.startMs);
  return { rows: toRows(ascending, calendar, raisedHours), nextMs: throughMs < lastMs ? throughMs : undefined };
}
