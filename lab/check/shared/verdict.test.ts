import { expect, test } from 'vitest';
import { findingsOf } from '../attacks/neighbor.js';
import { findingsOfFault } from '../faults/fault.js';
import { changing } from './load.js';
import { judge, rowsOfEvents } from './verdict.js';
import type { Schema } from '../../../src/contract/contract.js';
import { seededRandom } from '../../../packages/tools/terminal/scenes.js';
import { startTestService } from '../../../testkit/service.js';
import { storyEnv } from '../../../testkit/story.js';
import { describeAllowed, isAllowed } from '../../../testkit/verdict.js';

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
