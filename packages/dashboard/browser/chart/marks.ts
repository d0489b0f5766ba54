import { holdsOf, type Point } from '../points.js';
import { svg } from '../dom.js';
import { capitalized, timeOfDay, words } from '../format.js';
import { gutterLabel } from './axes.js';
import { laneHeight, type Layout, xOf } from './layout.js';

/** A topic that was mentioned at a time. */
export interface Mention {
  readonly atMs: number;
  readonly topic: string;
}

/** A mention with the place of its label. Labels and the lines to their marks do not cross. */
export interface PlacedMention extends Mention {
  readonly at: number;
  readonly left: number;
  readonly width: number;
  /** Row 0 is next to the marks. Undefined without room for a label. */
  readonly row: number | undefined;
}

const rowsMax = 3;
const letterWidth = 7.2;
const labelPadding = 16;
const labelGap = 4;

export function mentionsOf(points: readonly Point[]): Mention[] {
  return points.flatMap(({ atMs, topics }) => topics.map((topic) => ({ atMs, topic })));
}

/**
 * Places labels at the left of their marks, the newest first. A label goes to a row below all rows that it overlaps, so
 * that the lines of the others do not cross it.
 */
export function placeMentions(layout: Layout, mentions: readonly Mention[]): PlacedMention[] {
  const placed: PlacedMention[] = [];
  for (const mention of mentions.toReversed()) {
    const width = mention.topic.length * letterWidth + labelPadding;
    const at = xOf(layout, mention.atMs);
    const left = Math.min(Math.max(layout.left, at - width), layout.right - width);
    const labels = placed.filter((it) => it.row !== undefined);
    const overlapped = labels.filter((it) => it.left < left + width + labelGap && left < it.left + it.width + labelGap);
    const isCrossed = labels.some((it) => it.at >= left - 1 && it.at <= left + width);
    const row = Math.min(rowsMax, ...overlapped.map((it) => it.row ?? 0)) - 1;
    placed.push({ ...mention, at, left, width, row: row < 0 || isCrossed ? undefined : row });
  }
  // The first labels are in the top row. Empty rows below them are removed.
  const lowest = Math.min(...placed.map(({ row = rowsMax }) => row));
  return placed.map((it) => ({ ...it, row: it.row === undefined ? undefined : it.row - lowest }));
}

/** Returns the number of rows that the labels need. */
export function countRows(placed: readonly PlacedMention[]): number {
  return Math.max(0, ...placed.map(({ row = 0 }) => row + 1));
}

/** Returns a mark per mention, and the labels. */
export function topicMarks(layout: Layout, placed: readonly PlacedMention[]): SVGElement[] {
  const { topics } = layout;
  const markY = topics.bottom - 4;
  const marks = placed.map(({ at, topic }) =>
    svg('circle', { class: 'topic-mark', cx: at, cy: markY, r: 3 }, svg('title', {}, words(topic))),
  );
  const labels = placed.flatMap(({ at, topic, left, width, row }) => {
    if (row === undefined) return [];
    const y = markY - 8 - (row + 1) * laneHeight + 4;
    return svg(
      'g',
      { class: 'topic' },
      svg('line', { x1: at, x2: at, y1: y + laneHeight - 3, y2: markY }),
      svg('rect', { x: left, y, width, height: laneHeight - 3, rx: 8 }),
      svg('text', { x: left + width / 2, y: y + 12.5, 'text-anchor': 'middle' }, words(topic)),
    );
  });
  return [...(placed.length > 0 ? [gutterLabel(layout, markY, 'Topics')] : []), ...labels, ...marks];
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
