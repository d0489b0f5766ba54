import { stressModel } from '../../../../generated/spec.js';
import { type Change, changesOf, type Point } from '../points.js';
import { svg } from '../dom.js';
import { words } from '../format.js';
import { laneHeight, type Layout, topicLanes, xOf, yOf } from './layout.js';

/** A topic that was mentioned at a time. */
export interface Mention {
  readonly atMs: number;
  readonly topic: string;
}

/** A mention with the lane of its label. The labels of a lane do not overlap. */
export interface PlacedMention extends Mention {
  readonly x: number;
  readonly lane: number;
}

const letterWidth = 7.2;
const labelPadding = 16;
const { score_max: scoreMax } = stressModel;

/** Returns the width of a label, estimated from its length. */
function labelWidth(topic: string): number {
  return topic.length * letterWidth + labelPadding;
}

/** Gives each mention the first lane that is free at its place, and leaves out mentions without one. */
export function placeMentions(layout: Layout, mentions: readonly Mention[]): PlacedMention[] {
  const taken = Array.from({ length: topicLanes }, () => Number.NEGATIVE_INFINITY);
  return mentions.flatMap((mention) => {
    const width = labelWidth(mention.topic);
    const x = Math.min(xOf(layout, mention.atMs), layout.right - width);
    const lane = taken.findIndex((end) => end + 4 <= x);
    if (lane < 0 || x < layout.left) return [];
    taken[lane] = x + width;
    return [{ ...mention, x, lane }];
  });
}

export function topicLabels(layout: Layout, placed: readonly PlacedMention[]): SVGElement[] {
  return placed.map(({ atMs, topic, x, lane }) => {
    const y = 4 + lane * laneHeight;
    const at = xOf(layout, atMs);
    return svg(
      'g',
      { class: 'topic' },
      svg('line', { x1: at, x2: at, y1: y + laneHeight - 4, y2: layout.score.bottom }),
      svg('rect', { x, y, width: labelWidth(topic), height: laneHeight - 4, rx: 9 }),
      svg('text', { x: x + labelPadding / 2, y: y + 13 }, words(topic)),
    );
  });
}

/** Returns a line and a dot for each change of the state. */
export function changeMarks(layout: Layout, points: readonly Point[]): SVGElement[] {
  return changesOf(points).map((change) => {
    const { point } = change;
    const x = xOf(layout, point.atMs);
    const cy = yOf(layout.score, point.score, 0, scoreMax);
    return svg(
      'g',
      { class: `change ${point.state}` },
      svg('title', {}, describe(change)),
      svg('line', { x1: x, x2: x, y1: layout.score.top, y2: layout.score.bottom }),
      svg('circle', { cx: x, cy, r: 5 }),
    );
  });
}

export function describe({ from, point }: Change): string {
  return `${words(from)} to ${words(point.state)}`;
}
