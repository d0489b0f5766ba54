import { expect, test } from 'vitest';
import { isAllowed } from '../../../testkit/verdict.js';
import { startTimeline } from './timeline.js';
import { callsAllowed, type ClusterRun, rowsOf } from './verdict.js';

const isUpheld = (run: ClusterRun) => rowsOf(run).flat().every(isAllowed);
const events = {
  ...{ acknowledged: 40, delivered: 40, listedAsFailed: 0, deliveredAndListed: 0, lost: 0, invented: 0 },
  ...{ duplicates: 3, renamed: 0, altered: 0, badSignatures: 0, outOfOrder: 0 },
};
const pauses = {
  ...{ longestMs: 3_000.4, longestMsAfter: { 'the kill of a node': 3_000.4 }, longestWaitMs: 3_100 },
  ...{ waitP99Ms: 900, waitP50Ms: 20, peakPerSecond: 10 },
};
const upheld: ClusterRun = {
  ...{ kills: { 'node 1': 2, 'service 1': 1 }, seconds: 60, events, pauses, calls: 118, lost: 0 },
  ...{ readings: { acknowledged: 100, failed: { 'status 503': 28 } }, reads: { sent: 21, answered: 19, stale: 0 } },
  ...{ hostChanges: 8, conflicts: 5, differingNodes: 0, deaths: [] },
};

test('a run without violations passes, and its pauses, conflicts and errors are reported', () => {
  expect(isUpheld(upheld)).toBe(true);
  const found = Object.fromEntries(
    rowsOf(upheld)
      .flat()
      .map((row) => [row.what.trim(), row.found]),
  );
  expect(found).toMatchObject({
    ...{ 'kills (SIGKILL)': 3, 'after the kill of a node': 3_000, 'requests sent again': 28, 'status 503': 28 },
    'transactions that conflicted with another node': 5,
  });
});

test.each<[string, Partial<ClusterRun>]>([
  ['a lost reading', { lost: 1 }],
  ['a stale read', { reads: { ...upheld.reads, stale: 1 } }],
  ['a lost event', { events: { ...events, lost: 1 } }],
  ['an event that failed', { events: { ...events, listedAsFailed: 1 } }],
  ['an event with two ids', { events: { ...events, renamed: 1 } }],
  ['an event out of order', { events: { ...events, outOfOrder: 1 } }],
  ['a node with other rows', { differingNodes: 1 }],
  ['a process that ended', { deaths: ['service 1 ended with 1'] }],
  ['too few calls', { calls: 109 }],
  ['too many calls', { calls: 191 }],
  ['a run without readings', { readings: { acknowledged: 0, failed: { 'status 503': 128 } } }],
])('%s breaks a guarantee', (_, change) => {
  expect(isUpheld({ ...upheld, ...change })).toBe(false);
});

test('a killed service may lose, and a killed node may count twice, the calls of at most one second', () => {
  expect(callsAllowed(upheld)).toEqual([110, 190]);
  expect(callsAllowed({ ...upheld, kills: {} })).toEqual([120, 150]);
});

test('a timeline reports the longest pause after each kind of mark, and the most readings in one second', () => {
  let atMs = 0;
  const timeline = startTimeline(() => atMs);
  const { record } = timeline;
  for (atMs = 0; atMs < 1_000; atMs += 250) record(10);
  timeline.mark('the kill of a node');
  atMs = 4_000;
  record(3_200);
  atMs = 4_100;
  record(20);
  atMs = 4_110;
  timeline.mark('a node rejoined');
  atMs = 4_150;
  record(20);
  expect(timeline.pauses()).toEqual({
    longestMs: 3_250,
    longestMsAfter: { 'the start': 250, 'the kill of a node': 3_250, 'a node rejoined': 50 },
    ...{ longestWaitMs: 3_200, waitP99Ms: expect.closeTo(3_009.2), waitP50Ms: 10, peakPerSecond: 4 },
  });
});
