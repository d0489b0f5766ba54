/** The charts and the table of a day, a week or a month of a person. */
import type { SubjectProfile, SummaryRow, TriggerProfile } from '../../../client/src/index.js';
import { triggers as settings } from '../../../../generated/spec.js';
import { sortTriggers, triggerHead } from '../cards.js';
import * as plot from '../chart/plot.js';
import { h, svg } from '../../../ui/dom.js';
import { count, label, percent, sum, words } from '../../../ui/format.js';
import { createTable } from '../../../ui/parts.js';
import { personLink } from '../router.js';
import * as calendar from '../../../sentence/calendar.js';
import { countNotObserved } from '../../../sentence/usual.js';
import {
  describeStates,
  describeStress,
  duration,
  firstDayHint,
  type Hour,
  hourMs,
  hoursOf,
  type LoadedHours,
  states,
  sumSeconds,
} from './hours.js';

const hoursPerDay = 24;
const axisHours = [0, 6, 12, 18, 24];
const whole: plot.Bounds = [0, plot.plotHeight];

/** Returns the names of the states with their colors. */
export function stateLegend() {
  const items = states.map((state) => h(`li.banded.${state}`, label(state)));
  return h('ul.legend.line.hint', { 'aria-label': 'States, from the bottom of an hour' }, items);
}

/**
 * Returns a strip per day with the hours across. Each hour stacks the time in each state from the bottom, calm first. The
 * rest of its height is unmeasured. A month is a calendar.
 */
export function stateStrips(
  subjectId: string,
  { span, days }: calendar.Period,
  loaded: LoadedHours,
  nowMs: number,
  firstMs = Number.NaN,
) {
  const begun = days.filter(({ fromMs }) => fromMs <= nowMs);
  const rows = begun.map((day) => dayStrip(day, loaded, span, subjectId));
  const names = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
  const weekdays = names.map((it) => h('li.weekday.hint.tiny', { 'aria-hidden': 'true' }, it));
  const [first] = begun;
  // A week begins on Monday, and Date on Sunday.
  if (span === 'month' && first)
    rows[0]?.style.setProperty('grid-column-start', String(((new Date(first.fromMs).getDay() + 6) % 7) + 1));
  const axis = h(
    'li',
    { 'aria-hidden': 'true' },
    h('div.line.between.hint.tiny', ...axisHours.map((it) => h('span', it))),
  );
  const isFirst = begun.some(({ fromMs, toMs }) => firstMs >= fromMs && firstMs < toMs);
  const strips = h(`ul.strips.${span}`, span === 'month' && weekdays, rows, span !== 'month' && axis);
  return [strips, isFirst && h('p.hint', `${calendar.days.format(firstMs)} – ${firstDayHint}`)];
}

function dayStrip(day: calendar.Day, loaded: LoadedHours, span: calendar.Period['span'], subjectId: string) {
  const hours = hoursOf(loaded.hours, day);
  const name = calendar.days.format(day.fromMs);
  const seconds = sumSeconds(hours);
  const measured = sum(Object.values(seconds));
  const isLone = sum(hours.map(({ readings }) => readings)) === 1;
  const time = measured > 0 && h('span.measured', isLone ? 'one reading' : `${duration(measured)} measured`);
  const stress = isLone ? '' : describeStress(hours);
  const absent = countNotObserved(loaded.absences, day.fromMs, day.toMs);
  const unseen = absent >= 60 && `${duration(absent)} not observed`;
  const facts = [time, stress, unseen].filter(Boolean).flatMap((it, index) => (index > 0 ? [' · ', it] : [it]));
  const date = new Date(day.fromMs);
  const href = personLink(subjectId, calendar.addressOf(calendar.periodAt('day', date)));
  const lines = axisHours.slice(1, -1).map((it) => {
    const x = (it / hoursPerDay) * plot.plotWidth;
    return svg('line.grid', { x1: x, x2: x, y2: plot.plotHeight });
  });
  return h(
    'li.line.between',
    span === 'day' ? name : h('a', { href, 'aria-label': name }, span === 'month' ? date.getDate() : name),
    h('span.hint', { class: span === 'month' && 'tiny' }, facts),
    plot.drawing('svg.strip', `${name}: ${describeStates(seconds)}`, lines, hourStacks(day, hours)),
  );
}

/** Returns the hours of a day. Both hours of a clock that is set back share one place. */
function hourStacks(day: calendar.Day, hours: readonly Hour[]) {
  const byMinute = new Map<number, Hour[]>();
  for (const hour of hours) {
    const minute = calendar.minuteOfDay(Math.max(hour.atMs, day.fromMs));
    byMinute.set(minute, [...(byMinute.get(minute) ?? []), hour]);
  }
  return [...byMinute].map(([minute, found]) => {
    const atMs = found[0]?.atMs ?? 0;
    const perMinute = plot.plotWidth / (hoursPerDay * 60);
    const width = ((Math.min(atMs + hourMs, day.toMs) - Math.max(atMs, day.fromMs)) / 60_000) * perMinute;
    const seconds = sumSeconds(found);
    const perSecond = plot.plotHeight / (found.length * (hourMs / 1_000));
    let bottom = plot.plotHeight;
    const stack = states.map((state) => {
      const height = Math.min(seconds[state] * perSecond, bottom);
      bottom -= height;
      return height > 0 && svg('rect', { class: state, x: minute * perMinute, y: bottom, width, height });
    });
    const time = [Math.floor(minute / 60), minute % 60].map((it) => String(it).padStart(2, '0')).join(':');
    return svg('g', svg('title', `${time}: ${describeStates(seconds)}`), stack);
  });
}

/** Returns the labels of the time axis: hours of a day, days of a week, every seventh day of a month. */
export function timeAxis(period: calendar.Period) {
  const { span, days, fromMs } = period;
  const hours = quarters(fromMs).map((atMs, index) => [atMs, `${axisHours[index]}:00`] as const);
  const names = span === 'week' ? calendar.shortDays : calendar.days;
  const dates = days.filter((_, index) => span === 'week' || index % 7 === 0);
  return plot.timeAxis(period, span === 'day' ? hours : dates.map((day) => [day.fromMs, names.format(day.fromMs)]));
}

function quarters(midnightMs: number): number[] {
  return axisHours.slice(0, -1).map((hour) => new Date(midnightMs).setHours(hour));
}

/** Returns the midnights of a period, or the quarters of a day, as lines. */
function gridLines(period: calendar.Period) {
  const { span, days, fromMs } = period;
  const times = span === 'day' ? quarters(fromMs) : days.map((it) => it.fromMs);
  return plot.gridLines(period, times.slice(1));
}

const caption =
  'Mean per hour, on a band from the lowest to the highest rate. A high rate with reported movement is not counted as stress.';

/** Returns the mean heart rate per hour as a line, with a band from the lowest to the highest rate of the hour, if there is one. */
export function heartChart(
  period: calendar.Period,
  hours: readonly Hour[],
  baseline: SubjectProfile['baseline']['heart_rate'],
) {
  const restingBpm = baseline?.resting_bpm;
  const measured = hours.flatMap(({ atMs, heart_rate }) => (heart_rate ? [{ atMs, ...heart_rate }] : []));
  if (measured.length === 0) return undefined;
  const [lowest, highest] = [Math.min(...measured.map((it) => it.min)), Math.max(...measured.map((it) => it.max))];
  const bounds = plot.heartBounds([lowest, highest]);
  const band = measured.map(({ atMs, min, max, mean }) => {
    const [top, bottom] = [plot.yOf(bounds, max), plot.yOf(bounds, min)];
    const title = `${calendar.instants.format(atMs)}: mean ${Math.round(mean)}, ${Math.round(min)}–${Math.round(max)} bpm`;
    // One value in an hour is still visible.
    return plot.span('heart-band.acute_stress', period, hourAt(atMs), [top, Math.max(bottom, top + 1)], title);
  });
  const means = measured.map(({ atMs, mean }) => ({ atMs: atMs + hourMs / 2, value: mean }));
  const isShown = restingBpm !== undefined && restingBpm >= bounds[0] && restingBpm <= bounds[1];
  const resting = isShown && plot.level('resting', bounds, restingBpm);
  const name = `Heart rate, ${measured.length} hours, from ${Math.round(lowest)} to ${Math.round(highest)} bpm`;
  const line = plot.line('line-heart.acute_stress', period, bounds, means, hourMs);
  return [
    plot.heartPlot(bounds, name, gridLines(period), band, resting, line),
    timeAxis(period),
    h(
      'p.hint',
      isShown ? `${caption} Dashed: resting heart rate (${percent(baseline?.own_share ?? 0)} known).` : caption,
    ),
  ];
}

function hourAt(fromMs: number): calendar.Day {
  return { fromMs, toMs: fromMs + hourMs };
}

/** A sighting stays visible in a month. */
const sightingMin = 5;

/** Returns a lane per topic: its status as a bar, and the hours in which it was seen. */
export function topicLanes(
  period: calendar.Period,
  triggers: TriggerProfile,
  profile: SubjectProfile,
  hours: readonly Hour[],
  nowMs: number,
) {
  const topics = sortTriggers(triggers);
  if (topics.length === 0) return undefined;
  const lanes = topics.map(([topic, entry]) => {
    const changes = (profile.status_changes?.[topic] ?? []).map((it) => ({ ...it, atMs: Date.parse(it.timestamp) }));
    const bars = changes.map(({ status, atMs }, index) => {
      const toMs = changes[index + 1]?.atMs ?? nowMs;
      const isShown = toMs > period.fromMs && atMs < period.toMs;
      return isShown && plot.span(`status.${status}`, period, { fromMs: atMs, toMs }, [35, 65]);
    });
    const seen = hours.filter((hour) => hour.topics.includes(topic));
    const sightings = seen.map(({ atMs }) =>
      plot.span('sighting', period, hourAt(atMs), whole, calendar.instants.format(atMs), sightingMin),
    );
    const name = `${words(topic)}: seen in ${count(seen.length, 'hour')} of this time`;
    const last = `last seen ${calendar.instants.format(Date.parse(entry.last_seen))}`;
    return h(
      'li',
      triggerHead(topic, entry),
      plot.drawing('svg.lane', name, gridLines(period), bars, sightings),
      h('p.hint', [...changes.map((_, index) => describeChange(changes, index)), last].join(' → ')),
    );
  });
  const isKnown = topics.some(([, { effect }]) => effect !== undefined);
  const note = 'The effect of a topic is known after ten other turns of this person.';
  return [h('ul.lanes.list', lanes), timeAxis(period), !isKnown && h('p.hint', note)];
}

type Change = { readonly status: string; readonly atMs: number };

function describeChange(changes: readonly Change[], index: number): string {
  const { status = '', atMs = 0 } = changes[index] ?? {};
  const isPresent = index === changes.length - 1 && status === 'active';
  // An acute first sighting makes a topic active at once.
  const first = status === 'observed' ? 'first seen' : `${status} from the first time`;
  const isFirst = index === 0 && changes.length < settings.status_changes_max;
  return `${isFirst ? first : isPresent ? 'active since' : status} ${calendar.instants.format(atMs)}`;
}

/** Returns a table with the figures of the charts, for readers who do not see them. */
export function periodTable(span: calendar.Period['span'], rows: readonly SummaryRow[]) {
  const isDay = span === 'day';
  const heads = [isDay ? 'Hour' : 'Day', ...states.map(label), 'Score', 'Heart rate, bpm', 'Readings', 'Topics'];
  const { body, element } = createTable('Table of the period', heads, 'list-table');
  for (const row of rows) {
    const name = (isDay ? calendar.instants : calendar.days).format(Date.parse(row.start));
    const cells = [
      ...states.map((state) => (row.state_seconds[state] > 0 ? durationOf(row, state) : '–')),
      ...[row.stress_score, row.heart_rate].map(describeRange),
      row.readings,
      row.topics.map(words).join(', '),
    ];
    body.append(h('tr', h('th', { scope: 'row' }, name), ...cells.map((cell) => h('td', cell))));
  }
  return element;
}

function durationOf(
  { readings, state_seconds: seconds }: SummaryRow,
  state: keyof SummaryRow['state_seconds'],
): string {
  return readings === 1 ? 'one reading' : duration(seconds[state]);
}

/** Returns e.g. `72 (58–96)`. */
function describeRange(range: SummaryRow['heart_rate']): string {
  return range ? `${Math.round(range.mean)} (${Math.round(range.min)}–${Math.round(range.max)})` : '–';
}
