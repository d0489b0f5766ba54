import { expect, test } from 'vitest';
import { type Scene, scenes, seededRandom } from '../../../packages/tools/terminal/scenes.js';
import type { Schema } from '../../../src/contract/contract.js';
import { startTestService } from '../../../testkit/service.js';
import { storyEnv } from '../../../testkit/story.js';
import { describeAllowed, isAllowed } from '../../../testkit/verdict.js';
import { ample } from '../../bench/support/service.js';
import { findingsOf } from '../attacks/neighbor.js';
import { findingsOfFault } from '../faults/fault.js';
import { changing, startLoad, steady } from './load.js';
import { countLost, judge, rowsOfEvents } from './verdict.js';

const counts = { acknowledged: 9, lost: 0, changes: 1, missing: [], failures: {} };
const change: Schema<'StateChange'> = {
  event: 'state_change',
  session_id: 's1',
  previous_state: 'calm',
  new_state: 'stressed',
  stress_score: 64,
  timestamp: '2026-11-21T09:00:00.000Z',
};
const arrival = { id: 'msg_1', event: change, bodyDigest: '1', isSigned: true };
const eventsOf = (changes: Parameters<typeof judge>[0]['changes'], arrivals: readonly (typeof arrival)[]) =>
  rowsOfEvents(judge({ changes, arrivals, accepted: arrivals, failed: [] }));

test.each([
  ['attacks', findingsOf(counts), findingsOf({ ...counts, changes: 0 })],
  ['faults', findingsOfFault(counts), findingsOfFault({ ...counts, changes: 0 })],
  ['killed processes', eventsOf(new Map([['s1', [change]]]), [arrival]), eventsOf(new Map(), [])],
])('a check of %s whose load changed no state fails', (_name, good, without) => {
  expect(good.filter((row) => !isAllowed(row))).toEqual([]);
  const findings = without.filter((row) => !isAllowed(row));
  expect(findings.map((row) => [row.what, row.found, describeAllowed(row)])).toEqual([
    [expect.stringContaining('state changes'), 0, '≥ 1'],
  ]);
});

test('every reading of a changing load changes the state, except the first reading of a session', async () => {
  const service = await startTestService({ env: storyEnv });
  service.clock.nowMs = Date.now();
  const next = changing('load', seededRandom(1));
  const states = new Map<string, string>();
  let changes = 0;
  for (let count = 0; count < 32; count += 1) {
    const [reading] = next(count);
    const { body } = await service.post('/v1/ingest', reading);
    const before = states.get(body.session_id);
    if (before !== undefined && before !== body.state) changes += 1;
    states.set(body.session_id, body.state);
  }
  expect([states.size, changes]).toEqual([4, 28]);
});

test('an acknowledged reading that the export does not contain is lost, also a line of a batch', async () => {
  const service = await startTestService({ env: { ...storyEnv, ...ample } });
  service.clock.nowMs = Date.now();
  const random = seededRandom(1);
  const senders = [1, 3].map((lines) => steady(`steady-${lines}`, scenes[0] as Scene, random, lines));
  const load = startLoad({ urls: () => [service.url], key: service.key, senders, random });
  await load.acknowledges(20);
  const { sent, acknowledged } = await load.stop();
  expect([...sent.values()].flat().filter(({ answers }) => answers.length > 0)).toHaveLength(acknowledged);
  expect(await countLost(service.url, service.key, sent)).toBe(0);
  const [first] = sent.get('steady-3') ?? [];
  if (!first) throw new Error('no batch was sent');
  const forged = { reading: { ...first.reading, timestamp: '2026-11-21T09:00:00.000Z' } };
  const withForged = new Map([...sent, ['forged', [{ ...forged, answers: first.answers }]]]);
  expect(await countLost(service.url, service.key, withForged)).toBe(1);
  const unanswered = new Map([...sent, ['forged', [{ ...forged, answers: [] }]]]);
  expect(await countLost(service.url, service.key, unanswered)).toBe(0);
});
