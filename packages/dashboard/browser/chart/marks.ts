import { holdsOf, type Point } from '../points.js';
import { svg } from '../dom.js';
import { capitalized, timeOfDay, words } from '../format.js';
import { gutterLabel } from './axes.js';
import { laneHeight, type Layout, xOf } from './layout.js';

/** The times at which a topic was mentioned, epoch ms. */
export interface TopicLane {
  readonly topic: string;
  readonly times: readonly number[];
}

/** Topics that have a lane. The readings name the others. */
const lanesMax = 8;

/** Returns the topics of the points, most recently mentioned first, and the number of topics without a lane. */
export function lanesOf(points: readonly Point[]): { readonly lanes: readonly TopicLane[]; readonly rest: number } {
  const byTopic = new Map<string, number[]>();
  for (const { atMs, topics } of points.toReversed())
    for (const topic of topics) byTopic.set(topic, [...(byTopic.get(topic) ?? []), atMs]);
  const all = [...byTopic].map(([topic, times]) => ({ topic, times }));
  return { lanes: all.slice(0, lanesMax), rest: Math.max(0, all.length - lanesMax) };
}

/** Returns a lane per topic: its name above a line with a tick per mention. */
export function topicLanes(layout: Layout, lanes: readonly TopicLane[]): SVGElement[] {
  const { left, right, topics } = layout;
  return lanes.map(({ topic, times }, index) => {
    const top = topics.top + index * laneHeight;
    const y = top + laneHeight - 6;
    const ticks = times.map((atMs) => {
      const x = xOf(layout, atMs) - 1.5;
      return svg('rect', { class: 'topic-mark', x, y: y - 5, width: 3, height: 10, rx: 1 });
    });
    return svg(
      'g',
      { class: 'topic' },
      svg('text', { x: left, y: top + 10 }, words(topic)),
      svg('line', { class: 'grid', x1: left, x2: right, y1: y, y2: y }),
      ...ticks,
    );
  });
}

/** Returns a segment for each time during which the state was the same, with its name if there is room. */
export function stateSegments(layout: Layout, points: readonly Point[], nowMs: number): SVGElement[] {
  const { fromMs, toMs, states } = layout;
  const segments = holdsOf(points, nowMs).flatMap((hold) => {
    if (hold.toMs <= fromMs || hold.fromMs >= toMs) return [];
    const x = xOf(layout, Math.max(hold.fromMs, fromMs));
    const width = Math.max(1, xOf(layout, Math.min(hold.toMs, toMs)) - x);
    const name = capitalized(words(hold.state));
    const time = `${timeOfDay(hold.fromMs, 'seconds')} to ${timeOfDay(hold.toMs, 'seconds')}`;
    return svg(
      'g',
      { class: `hold ${hold.state}` },
      svg('title', {}, `${name}, ${time}`),
      svg('rect', { x, y: states.top, width, height: 9 }),
      width > name.length * 6.6 && svg('text', { x: x + 2, y: states.bottom - 2 }, name),
    );
  });
  return [gutterLabel(layout, states.top + 5, 'State'), ...segments];
}
