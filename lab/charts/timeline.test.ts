import { expect, test } from 'vitest';
import { drawTimeline, spansOf, type TimelinePoint } from './timeline.js';

const names = { title: 'Title', subtitle: 'Subtitle' };
const point = (second: number, others: Partial<TimelinePoint> = {}): TimelinePoint => ({
  ...{ second, heartRate: 70, score: 30, state: 'relaxed' as const },
  ...others,
});

test('a timeline of any recording is complete and contains only finite numbers', () => {
  const many = Array.from({ length: 20_000 }, (_, index) => point(index * 60, { heartRate: 30 + (index % 191) }));
  const recordings = [
    [],
    [point(0)],
    [point(0, { heartRate: undefined }), point(3, { heartRate: undefined })],
    [point(0), point(1, { heartRate: undefined }), point(2)],
    [point(0, { heartRate: 220, score: 100 }), point(400 * 86_400, { heartRate: 30, score: 0, state: 'calm' })],
    many,
  ];
  for (const points of recordings) {
    const svg = drawTimeline({ ...names, points });
    expect(svg).toMatch(/^<svg [^]*<\/svg>\n$/);
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  }
});

test('a timeline shows at most eight topics, and the time axis at most nine marks', () => {
  const points = Array.from({ length: 12 }, (_, index) => point(index * 7, { topics: [`topic_${index}<`] }));
  const svg = drawTimeline({ ...names, points });
  expect(svg.match(/topic_\d+&lt;/g)).toHaveLength(8);
  for (const end of [1, 59, 61, 3_599, 3_601, 86_401, 9e6]) {
    const marks = drawTimeline({ ...names, points: [point(0), point(end)] }).match(/"middle">\d+</g) ?? [];
    expect(marks.length).toBeGreaterThanOrEqual(2);
    expect(marks.length).toBeLessThanOrEqual(9);
  }
});

test('consecutive points form one span, which ends at the next other point or at the end', () => {
  const points = [0, 1, 2, 3, 4].map((second) => ({ second }));
  expect(spansOf(points, ({ second }) => second !== 0 && second !== 3)).toEqual([
    { from: 1, to: 3 },
    { from: 4, to: 4 },
  ]);
});
