import type { RequestHandler } from 'express';
import { problems } from '../../generated/spec.js';
import type { MonthlyCalls } from '../limits/monthly-calls.js';
import { whenSettled } from './when-settled.js';

/** Counts every authenticated request with any status, except requests that a limit rejected. */
export function countCalls(calls: MonthlyCalls): RequestHandler {
  return (_request, response, next) => {
    const { caller } = response.locals;
    response.locals.allowances = [];
    if (caller) {
      const call = calls.begin(caller);
      response.locals.call = call;
      whenSettled(response, () => call.end(response.statusCode === problems.rate_limit_exceeded.status));
    }
    next();
  };
}
