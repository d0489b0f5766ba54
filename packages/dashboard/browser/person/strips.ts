import { capitalized, words } from '../format.js';
import { h, svg } from '../dom.js';
import { personLink } from '../router.js';
import { addressOf, type Day, minuteOfDay, nameOfDay, type Period, periodAt, type Span } from './calendar.js';
import { describeStates, duration, type Hour, hourMs, hoursOf, measuredSeconds, states, sumSeconds } from './hours.js';

const minutesPerDay = 1_440;
const height = 100;
const axisHours = [0, 6, 12, 18, 24];

/**
 * Returns a strip per day with the hours across. Each hour stacks the time in each state from the bottom, calm first. The
 * rest of its height is unmeasured.
 */
export function stateStrips(
  subjectId: string,
  { span, days }: Period,
  hours: readonly Hour[],
  nowMs: number,
): HTMLElement {
  const begun = days.filter(({ fromMs }) => fromMs <= nowMs);
  const rows = begun.map((day) => stripOf(day, hoursOf(hours, day), span, subjectId));
  if (span === 'month')
    return h('div', { class: 'strips month' }, h('ul', {}, ...weekdays(), ...inCalendar(days, rows)));
  const labels = axisHours.map((it) => h('span', {}, it));
  const axis = h('div', { class: 'hours', 'aria-hidden': 'true' }, h('div', {}, ...labels));
  return h('div', { class: `strips ${span}` }, h('ul', {}, ...rows), axis);
}

function weekdays(): HTMLElement[] {
  const names = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
  return names.map((it) => h('li', { class: 'weekday', 'aria-hidden': 'true' }, it));
}

/** Places the first day of a month below its weekday. The others follow. */
function inCalendar([first]: readonly Day[], rows: readonly HTMLElement[]): readonly HTMLElement[] {
  const [row] = rows;
  if (row && first) row.style.gridColumnStart = String(((new Date(first.fromMs).getDay() + 6) % 7) + 1);
  return rows;
}

/** Returns the names of the states with their colors. */
export function stateLegend(): HTMLElement {
  const items = states.map((state) => h('li', { class: state }, capitalized(words(state))));
  return h('ul', { class: 'legend', 'aria-label': 'States, from the bottom of an hour' }, ...items);
}

function stripOf(day: Day, hours: readonly Hour[], span: Span, subjectId: string): HTMLElement {
  const [name, isMonth] = [nameOfDay(day.fromMs), span === 'month'];
  const seconds = sumSeconds(hours.map(({ row }) => row));
  const drawing = svg(
    'svg',
    {
      class: 'strip',
      role: 'img',
      'aria-label': `${name}: ${describeStates(seconds)}`,
      viewBox: `0 0 ${minutesPerDay} ${height}`,
      preserveAspectRatio: 'none',
    },
    ...axisHours.slice(1, -1).map((hour) => svg('line', { class: 'grid', x1: hour * 60, x2: hour * 60, y2: height })),
    ...cellsOf(day, hours),
  );
  const date = new Date(day.fromMs);
  const href = personLink(subjectId, addressOf(periodAt('day', date)));
  const shownName = isMonth ? date.getDate() : name;
  const label = span === 'day' ? name : h('a', { href, 'aria-label': name }, shownName);
  const measured = measuredSeconds(seconds);
  const strained = seconds.stressed + seconds.acute_stress;
  const text = h(
    'span',
    { class: 'hint' },
    measured > 0 && h('span', { class: 'measured' }, `${duration(measured)} measured`),
    strained > 0 && h('span', {}, `${duration(strained)} stressed${isMonth ? '' : ' or acute'}`),
  );
  return h('li', {}, h('span', { class: 'strip-day' }, label), text, drawing);
}

/** Returns the hours of a day. Both hours of a clock that is set back share one place. */
function cellsOf(day: Day, hours: readonly Hour[]): SVGElement[] {
  const byMinute = new Map<number, Hour[]>();
  for (const hour of hours) {
    const minute = minuteOfDay(Math.max(hour.atMs, day.fromMs));
    byMinute.set(minute, [...(byMinute.get(minute) ?? []), hour]);
  }
  return [...byMinute].flatMap(([minute, [first, ...others]]) => {
    if (!first) return [];
    const width = (Math.min(first.atMs + hourMs, day.toMs) - Math.max(first.atMs, day.fromMs)) / 60_000;
    return [cellOf(minute, width, [first, ...others])];
  });
}

function cellOf(x: number, width: number, hours: readonly Hour[]): SVGElement {
  const seconds = sumSeconds(hours.map(({ row }) => row));
  const perSecond = height / (hours.length * (hourMs / 1_000));
  let bottom = height;
  const stack = states.flatMap((state) => {
    const size = Math.min(seconds[state] * perSecond, bottom);
    bottom -= size;
    return size > 0 ? [svg('rect', { class: state, x, y: bottom, width, height: size })] : [];
  });
  const time = `${Math.floor(x / 60)}`.padStart(2, '0') + `:${String(x % 60).padStart(2, '0')}`;
  return svg('g', {}, svg('title', {}, `${time}: ${describeStates(seconds)}`), ...stack);
}
