import type { Grant } from '../../src/contract/grant.js';
import { createReadingWriter } from '../../src/readings/group.js';
import type { PreparedReading } from '../../src/readings/prepared-reading.js';
import { grantOf } from '../../testkit/grants.js';
import { erasing } from '../../testkit/stored.js';
import { onTestFinished, expect, test } from '../../testkit/test.js';

test('a line never overtakes an earlier line, even if its session is admitted first', async ({ service }) => {
  const { accountId, clock } = service;
  const committed: string[] = [];
  const admitted = new Map<string, () => void>();
  const admitSession = (_: Grant, sessionId: string) =>
    new Promise<void>((resolve) => void admitted.set(sessionId, resolve));
  const onCommitted = (group: readonly PreparedReading[]) => committed.push(...group.map((it) => it.sessionId));
  const { commit, close } = createReadingWriter({ ...erasing(service), admitSession, onEvents() {}, onCommitted });
  onTestFinished(close);
  const readings = ['s0', 's1', 's2'].map((sessionId) => ({
    ...{ accountId, sessionId, digest: sessionId, timestampMs: clock.nowMs, signals: { heart_rate: 70 } },
  }));
  const running = commit(grantOf(accountId), readings);
  for (const sessionId of ['s2', 's1', 's0']) {
    admitted.get(sessionId)?.();
    await new Promise(setImmediate);
  }
  await running;
  expect(committed).toEqual(['s0', 's1', 's2']);
});
