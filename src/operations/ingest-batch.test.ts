import { expect, test } from 'vitest';
import type { Caller } from '../contract.js';
import { createLog } from '../log/log.js';
import { ProblemError } from '../problem.js';
import { ingestBatch } from './ingest-batch.js';

const caller: Caller = { accountId: 'acc_1', keyId: 'key_1', tier: 'solo' };
const log = createLog('silent', process.stdout);

/** Returns a batch of two transactions. Each line has a session of its own, e.g. `s3`. */
function batchOf(count: number) {
  const lines = Array.from({ length: count }, (_, index) => ({
    line: index + 1,
    reading: { ...{ accountId: 'acc_1', digest: '', timestampMs: index }, sessionId: `s${index}`, signals: {} },
  }));
  return { body: { requestId: 'req_1', lines } } as const;
}

test('after an outage in the first transaction, no further line of the batch is submitted', async () => {
  const submitted: string[] = [];
  const submit = async ({ sessionId }: { sessionId: string }) => {
    submitted.push(sessionId);
    throw sessionId === 's0' ? new ProblemError('service_unavailable') : new ProblemError('subject_mismatch');
  };
  const run = ingestBatch({ ingest: { submit }, admitSession: async () => undefined, log });
  const { body } = await run(batchOf(1_000) as never, caller);
  const codes = body.results.map(({ error }) => error?.code);
  expect(new Set(codes.slice(submitted.length))).toEqual(new Set(['service_unavailable']));
  expect(submitted.length).toBeLessThan(1_000);
});

test('a line never overtakes an earlier line, even if its session is admitted first', async () => {
  const submitted: string[] = [];
  const submit = async ({ sessionId }: { sessionId: string }) => {
    submitted.push(sessionId);
    throw new ProblemError('subject_mismatch');
  };
  const admitted = new Map<string, () => void>();
  const admitSession = (_: Caller, sessionId: string) =>
    new Promise<void>((resolve) => void admitted.set(sessionId, resolve));
  const running = ingestBatch({ ingest: { submit }, admitSession, log })(batchOf(3) as never, caller);
  for (const sessionId of ['s2', 's1', 's0']) {
    admitted.get(sessionId)?.();
    await new Promise(setImmediate);
  }
  await running;
  expect(submitted).toEqual(['s0', 's1', 's2']);
});
