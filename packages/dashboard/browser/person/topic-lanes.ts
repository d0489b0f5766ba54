import type { SubjectProfile, TriggerProfile } from '../../../client/src/index.js';
import { triggers as settings } from '../../../../generated/spec.js';
import { h, svg } from '../dom.js';
import { count, words } from '../format.js';
import { describeTrigger } from '../triggers-card.js';
import { nameOfInstant, type Period } from './calendar.js';
import { type Hour, hourMs } from './hours.js';
import { gridLines, plotWidth, timeAxis, xIn } from './plots.js';

const laneHeight = 20;
/** A sighting stays visible in a month. */
const sightingMin = 5;

export interface Topics {
  readonly triggers: TriggerProfile['triggers'];
  readonly changes: NonNullable<SubjectProfile['status_changes']>;
}

/** Returns a lane per topic, most recently seen first: its status as a bar, and the hours in which it was seen. */
export function topicLanes(
  period: Period,
  { triggers, changes }: Topics,
  hours: readonly Hour[],
  nowMs: number,
): HTMLElement {
  const topics = Object.entries(triggers).sort(([, a], [, b]) => b.last_seen.localeCompare(a.last_seen));
  if (topics.length === 0)
    return h('p', { class: 'hint' }, 'No topics yet. Send conversation turns with a subject_id to detect them.');
  const lanes = topics.map(([topic, entry]) => {
    const changed = (changes[topic] ?? []).map(({ status, timestamp }) => ({ status, atMs: Date.parse(timestamp) }));
    const seen = hours.filter(({ row }) => row.topics.includes(topic));
    const name = words(topic);
    const steps = changed.map(({ status, atMs }, index) => {
      const isFirst = index === 0 && changed.length < settings.status_changes_max;
      const isPresent = index === changed.length - 1 && status === 'active';
      const what = isPresent ? 'active since' : status;
      return h('li', {}, `${isFirst ? firstText(status) : what} ${nameOfInstant(atMs)}`);
    });
    return h(
      'li',
      {},
      h(
        'span',
        { class: 'lane-head' },
        h('strong', {}, name),
        h('span', { class: `badge ${entry.status}` }, entry.status),
        h('span', { class: 'hint' }, describeTrigger(entry)),
      ),
      svg(
        'svg',
        {
          class: 'lane',
          role: 'img',
          'aria-label': `${name}: seen in ${count(seen.length, 'hour')} of this time`,
          viewBox: `0 0 ${plotWidth} ${laneHeight}`,
          preserveAspectRatio: 'none',
        },
        ...gridLines(period, laneHeight),
        ...statusBars(period, changed, nowMs),
        ...seen.map(({ atMs }) => {
          const x = xIn(period, atMs);
          const width = Math.max(xIn(period, atMs + hourMs) - x, sightingMin);
          return svg(
            'rect',
            { class: 'sighting', x, width, height: laneHeight },
            svg('title', {}, nameOfInstant(atMs)),
          );
        }),
      ),
      h('ol', { class: 'steps' }, ...steps, h('li', {}, `last seen ${nameOfInstant(Date.parse(entry.last_seen))}`)),
    );
  });
  const isKnown = topics.some(([, { effect }]) => effect !== undefined);
  const note =
    !isKnown && h('p', { class: 'hint' }, 'The effect of a topic is known after ten other turns of this person.');
  return h('div', {}, h('ul', { class: 'lanes' }, ...lanes), timeAxis(period), note);
}

/** An acute first sighting makes a topic active at once. */
function firstText(status: string): string {
  return status === 'observed' ? 'first seen' : `first seen, ${status} at once`;
}

type Change = { readonly status: string; readonly atMs: number };

/** Returns a bar per status, from its change to the next change or now. */
function statusBars(period: Period, changes: readonly Change[], nowMs: number): SVGElement[] {
  return changes.flatMap(({ status, atMs }, index) => {
    const [from, to] = [atMs, changes[index + 1]?.atMs ?? nowMs].map((it) => xIn(period, it));
    if (from === undefined || to === undefined || to <= from) return [];
    return [svg('rect', { class: `status ${status}`, x: from, y: 7, width: to - from, height: 6 })];
  });
}
