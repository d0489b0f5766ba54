import type { RequestHandler } from 'express';
import { ProblemError } from '../problem.js';
import { whenWritten } from './when-settled.js';

/**
 * Maximum number of batches in progress, per account and per process. A batch uses several MB of memory, and its lines
 * wait in the queue of all readings.
 */
const [perAccountMax, allMax] = [4, 16];

/** Rejects batches above the maximum with service_unavailable, before their bodies are read. */
export function limitBatches(): RequestHandler {
  const byAccount = new Map<string, number>();
  let all = 0;
  const change = (accountId: string, by: number) => {
    const count = (byAccount.get(accountId) ?? 0) + by;
    all += by;
    if (count === 0) byAccount.delete(accountId);
    else byAccount.set(accountId, count);
  };
  return (_request, response, next) => {
    const { route, caller } = response.locals;
    if (route?.operationId !== 'ingestBatch' || !caller) return next();
    const { accountId } = caller;
    if (all >= allMax || (byAccount.get(accountId) ?? 0) >= perAccountMax)
      throw new ProblemError('service_unavailable', { cause: 'too many batches in progress' });
    change(accountId, 1);
    whenWritten(response, () => change(accountId, -1));
    next();
  };
}
