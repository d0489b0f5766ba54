import type { RequestHandler } from 'express';
import { batch as settings, limits } from '../../generated/spec.js';
import { RateLimitError } from '../limits/allowance.js';
import { ProblemError } from '../problem.js';
import { whenWritten } from './when-settled.js';

/**
 * Rejects batches above the maximum number in progress, before their bodies are read: with RateLimitError above that of
 * an account, with service_unavailable above that of the process. A batch uses several MB of memory, and its lines wait
 * in the queue of all readings.
 */
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
    if ((byAccount.get(accountId) ?? 0) >= limits.batches.quota) throw tooMany();
    if (all >= settings.in_progress_max)
      throw new ProblemError('service_unavailable', { cause: 'too many batches in progress' });
    change(accountId, 1);
    whenWritten(response, () => change(accountId, -1));
    next();
  };
}

function tooMany(): RateLimitError {
  const resetSeconds = settings.refused_retry_seconds;
  return new RateLimitError({ ...limits.batches, remaining: 0, resetSeconds, isExceeded: true });
}
