import { batch, retryAfter } from '../../generated/spec.js';
import type { Schema } from '../contract.js';
import { RateLimitError } from '../limits/allowance.js';
import type { ProblemError } from '../problem.js';

/** Returns the result of a rejected line of a batch. Limits the number of validation errors. */
export function rejectedLine(line: number, problem: ProblemError, requestId: string): Schema<'LineResult'> {
  const { errors, ...body }: Schema<'LineProblem'> = problem.toBody(requestId);
  const seconds = secondsOf(problem);
  return {
    line,
    status: problem.status,
    error: {
      ...body,
      ...(errors && { errors: errors.slice(0, batch.line_errors_max) }),
      ...(seconds !== undefined && { retry_after_seconds: seconds }),
    },
  };
}

/** Returns the seconds to wait before the line is sent again. Undefined if a resend gets the same error. */
function secondsOf(problem: ProblemError): number | undefined {
  if (problem instanceof RateLimitError) return problem.exceeded.resetSeconds;
  return problem.code === 'service_unavailable' ? retryAfter.service_unavailable_seconds : undefined;
}
