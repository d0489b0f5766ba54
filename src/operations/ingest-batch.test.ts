import { expect, test } from 'vitest';
import { grantOf } from '../../testkit/grants.js';
import { ProblemError } from '../contract/problem.js';
import { wholeAccount } from '../contract/whose.js';
import { createLog } from '../observe/log.js';
import type { Commit } from '../readings/group.js';
import { ingestBatch } from './ingest-batch.js';
import type { Services } from './operation.js';

const caller = grantOf();
const log = createLog('silent', process.stdout);

/** Returns a batch of two transactions. Each line has a session of its own, e.g. `s3`. */
function batchOf(count: number) {
  const lines = Array.from({ length: count }, (_, index) => ({
    line: index + 1,
    reading: { ...{ accountId: 'acc_1', digest: '', timestampMs: index }, sessionId: `s${index}`, signals: {} },
  }));
  return { query: undefined, params: undefined, whose: wholeAccount, body: { requestId: 'req_1', lines } };
}

test('after an outage in the first transaction, no further line of the batch is submitted', async () => {
  const submitted: string[] = [];
  const commit: Commit = async (_, readings) =>
    readings.map(({ sessionId }) => {
      submitted.push(sessionId);
      return new ProblemError(sessionId === 's0' ? 'service_unavailable' : 'subject_mismatch');
    });
  const { body } = await ingestBatch.handle({ commit, log } as Services, batchOf(1_000), caller);
  const codes = body.results.map(({ error }) => error?.code);
  expect(new Set(codes.slice(submitted.length))).toEqual(new Set(['service_unavailable']));
  expect(submitted.length).toBeLessThan(1_000);
});
