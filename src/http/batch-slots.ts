import { batch as settings, limits } from '../../generated/spec.js';
import { createConcurrencyLimit } from '../limits/concurrency-limit.js';
import { ProblemError } from '../problem.js';
import type { Middleware } from './in-order.js';
import { whenWritten } from './when-settled.js';

/** Rejects batches above the maximum number of an account with RateLimitError, before their bodies are read. */
export function limitBatchesOfAccount(): Middleware {
  const { policy, quota } = limits.batches;
  const beginEntry = createConcurrencyLimit({ policy, quota, resetSeconds: settings.refused_retry_seconds });
  return (_request, response, next) => {
    const { route, caller } = response.locals;
    if (route?.operationId === 'ingestBatch' && caller) whenWritten(response, beginEntry(caller.accountId));
    next();
  };
}

/**
 * Rejects batches above the maximum number in progress with service_unavailable. A batch uses several MB of memory, and
 * its lines wait in the queue of all readings. Runs after the body is read, because slow uploads would otherwise occupy
 * the slots of all accounts.
 */
export function limitBatches(): Middleware {
  let inProgress = 0;
  return (_request, response, next) => {
    if (response.locals.route?.operationId !== 'ingestBatch') return next();
    if (inProgress >= settings.in_progress_max)
      throw new ProblemError('service_unavailable', { cause: 'too many batches in progress' });
    inProgress += 1;
    whenWritten(response, () => (inProgress -= 1));
    next();
  };
}
