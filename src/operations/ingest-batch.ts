import { retryAfter, validation } from '../../generated/spec.js';
import type { Schema } from '../contract/contract.js';
import type { Grant } from '../contract/grant.js';
import { ProblemError } from '../contract/problem.js';
import { RateLimitError } from '../limits/window-limit.js';
import type { Outcome } from '../readings/account.js';
import { orderByTime } from '../readings/order.js';
import type { PreparedReading } from '../readings/prepared-reading.js';
import { toStateReading } from '../contract/state-reading.js';
import type { OperationRecord, Services } from './operation.js';

/** The lines of a batch in their order. A line is ready to be stored, or already rejected. Plain data. */
export interface PreparedBatch {
  readonly requestId: string;
  readonly lines: ReadonlyArray<PreparedLine | Schema<'LineResult'>>;
}

export interface PreparedLine {
  /** Number of the line in the body, from 1. */
  readonly line: number;
  readonly reading: PreparedReading;
}

/**
 * Number of lines that are submitted together: one transaction. A batch therefore does not fill the queue, in which the
 * readings of other requests wait too.
 */
const linesAtOnce = 160;

/**
 * Stores the prepared lines of a batch and returns the result of each line. Rejects if no line is stored because of an
 * outage or an internal error, so that clients resend the whole request.
 */
export const ingestBatch: OperationRecord<'ingestBatch', 'commit' | 'log', PreparedBatch> = {
  personalData: 'writes',
  takes: 'lines',
  async handle({ commit, log }, { body: { requestId, lines } }, caller) {
    const prepared = orderLines(lines.filter((line) => 'reading' in line));
    const outcomes = await commitAll(commit, caller, prepared);
    const problems = [...outcomes.values()].filter((outcome) => outcome instanceof ProblemError);
    const failures = problems.filter(({ status }) => status >= 500);
    if (failures[0] && failures.length === outcomes.size) throw failures[0];
    for (const { code, cause } of failures) log.error({ request_id: requestId, err: cause }, code);
    const limitErrors = createErrorLimit();
    const results = lines.map((line) =>
      limitErrors('reading' in line ? toResult(line, outcomes.get(line) as Outcome, requestId) : line),
    );
    const accepted = outcomes.size - problems.length;
    const refusals = problems.flatMap((it) => (it instanceof RateLimitError ? it.exceeded.policy : []));
    const tokenRefusals = problems.filter(({ code }) => code === 'invalid_token').length;
    return { status: 200, body: { accepted, rejected: results.length - accepted, results }, refusals, tokenRefusals };
  },
};

/**
 * Returns the lines with the live readings of each session in the order of their times, where this changes nothing else:
 * groups keep the order of lines for the person of a session, for consent and for samples (`readings/order.ts`).
 */
function orderLines(lines: readonly PreparedLine[]): PreparedLine[] {
  const order = orderByTime(lines.map(({ reading }) => reading));
  return order.map((index) => lines[index] as PreparedLine);
}

/** Commits the lines in groups. After an outage, no further group starts. */
async function commitAll(
  commit: Services['commit'],
  caller: Grant,
  lines: readonly PreparedLine[],
): Promise<Map<PreparedLine, Outcome>> {
  const outcomes = new Map<PreparedLine, Outcome>();
  let outage: ProblemError | undefined;
  for (let from = 0; from < lines.length; from += linesAtOnce) {
    const some = lines.slice(from, from + linesAtOnce);
    const readings = some.map(({ reading }) => reading);
    const found = outage ? some.map(() => outage as Outcome) : await commit(caller, readings);
    for (const [index, line] of some.entries()) outcomes.set(line, found[index] as Outcome);
    outage ??= found.filter((it) => it instanceof ProblemError).find(({ code }) => code === 'service_unavailable');
  }
  return outcomes;
}

function toResult({ line, reading }: PreparedLine, outcome: Outcome, requestId: string): Schema<'LineResult'> {
  if (outcome instanceof ProblemError) return toRejectedLine(line, outcome, requestId);
  const state = toStateReading(reading.sessionId, outcome, reading.check);
  return { line, status: 200, ...(outcome.sample && { sample: outcome.sample }), state };
}

/**
 * Returns a function that omits the validation errors of a line if earlier lines have too many. Called with the results
 * of a batch in their order.
 */
export function createErrorLimit(): (result: Schema<'LineResult'>) => Schema<'LineResult'> {
  let left = validation.request_errors_max;
  return (result) => {
    if (!result.error?.errors) return result;
    const { errors, errors_omitted = 0, ...error } = result.error;
    const named = errors.slice(0, left);
    const omitted = errors_omitted + errors.length - named.length;
    left -= named.length;
    const counted = { ...(named.length > 0 && { errors: named }), ...(omitted > 0 && { errors_omitted: omitted }) };
    return { ...result, error: { ...error, ...counted } };
  };
}

export function toRejectedLine(line: number, problem: ProblemError, requestId: string): Schema<'LineResult'> {
  const seconds = addSeconds(problem);
  return {
    line,
    status: problem.status,
    error: {
      ...problem.toBody(requestId),
      ...(seconds !== undefined && { retry_after_seconds: seconds }),
    },
  };
}

/** Returns the seconds to wait before the line is sent again. Undefined if a resend gets the same error. */
function addSeconds(problem: ProblemError): number | undefined {
  if (problem instanceof RateLimitError) return problem.exceeded.resetSeconds;
  return problem.code === 'service_unavailable' ? retryAfter.service_unavailable_seconds : undefined;
}
