import type { Caller, Operation, Schema } from '../contract.js';
import { toStateReading } from '../domain/state-reading.js';
import type { PreparedReading } from '../ingest/prepared-reading.js';
import { RateLimitError } from '../limits/allowance.js';
import { ProblemError } from '../problem.js';
import { isTransient } from '../store/transient.js';
import { rejectedLine } from './rejected-line.js';
import type { Services } from './services.js';

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

type BatchServices = Pick<Services, 'admitSession' | 'log'> & { readonly ingest: Pick<Services['ingest'], 'submit'> };

/** The state after a stored line, or the error of a rejected line. */
type Outcome = Schema<'StateReading'> | ProblemError;

/**
 * Number of lines that are submitted together: one transaction. A batch therefore does not fill the queue, in which the
 * readings of other requests wait too.
 */
const linesAtOnce = 160;

/**
 * Stores the prepared lines of a batch and returns the result of each line. Rejects if no line is stored because of an
 * outage or an internal error, so that clients resend the whole request.
 */
export function ingestBatch(services: BatchServices): Operation<'ingestBatch', PreparedBatch> {
  return async ({ body: { requestId, lines } }, caller) => {
    const prepared = lines.filter((line) => 'reading' in line);
    const outcomes = await storeAll(services, caller, prepared);
    const problems = [...outcomes.values()].filter((outcome) => outcome instanceof ProblemError);
    const failures = problems.filter(({ status }) => status >= 500);
    if (failures[0] && failures.length === outcomes.size) throw failures[0];
    for (const { code, cause } of failures) services.log.error({ request_id: requestId, err: cause }, code);
    const results = lines.map((line) =>
      'reading' in line ? resultOf(line.line, outcomes.get(line.line) as Outcome, requestId) : line,
    );
    const accepted = outcomes.size - problems.length;
    const refusals = problems.flatMap((problem) => (problem instanceof RateLimitError ? problem.exceeded.policy : []));
    const tokenRefusals = problems.filter(({ code }) => code === 'invalid_token').length;
    return { status: 200, body: { accepted, rejected: results.length - accepted, results }, refusals, tokenRefusals };
  };
}

/** Stores the lines in groups. Resolves with the outcomes by line number. After an outage, no further group starts. */
async function storeAll(
  services: BatchServices,
  caller: Caller,
  lines: readonly PreparedLine[],
): Promise<Map<number, Outcome>> {
  const outcomes = new Map<number, Outcome>();
  let outage: ProblemError | undefined;
  for (let from = 0; from < lines.length; from += linesAtOnce) {
    const some = lines.slice(from, from + linesAtOnce);
    const found = outage ? some.map(() => outage as Outcome) : await storeGroup(services, caller, some);
    for (const [index, { line }] of some.entries()) outcomes.set(line, found[index] as Outcome);
    outage ??= found.find((it) => it instanceof ProblemError && it.code === 'service_unavailable') as typeof outage;
  }
  return outcomes;
}

/** Submits the lines in their order. Resolves with one outcome per line. */
async function storeGroup(
  { ingest, admitSession }: BatchServices,
  caller: Caller,
  lines: readonly PreparedLine[],
): Promise<Outcome[]> {
  // All lines are admitted before the first is submitted. Otherwise a line could overtake an earlier one.
  const admissions = await Promise.all(
    lines.map(({ reading: { sessionId } }) => admitSession(caller, sessionId).then(() => undefined, toProblem)),
  );
  return Promise.all(
    lines.map(async ({ reading }, index): Promise<Outcome> => {
      const refusal = admissions[index];
      if (refusal) return refusal;
      return ingest.submit(reading).then((computed) => toStateReading(reading.sessionId, computed), toProblem);
    }),
  );
}

function toProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  return new ProblemError(isTransient(error) ? 'service_unavailable' : 'internal_error', { cause: error });
}

function resultOf(line: number, outcome: Outcome, requestId: string): Schema<'LineResult'> {
  if (outcome instanceof ProblemError) return rejectedLine(line, outcome, requestId);
  return { line, status: 200, state: outcome };
}
