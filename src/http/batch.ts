import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Request, Response } from 'express';
import { body as bodyLimits } from '../../generated/spec.js';
import type { Caller, Schema, Submission } from '../contract.js';
import { type Allowance, type LimitPolicy, RateLimitError } from '../limits/allowance.js';
import type { FailureLimit } from '../limits/failure-limit.js';
import { rateLimitFields } from '../limits/fields.js';
import type { Call, MonthlyCalls } from '../limits/monthly-calls.js';
import type { WindowLimit } from '../limits/window-limit.js';
import type { PreparedBatch, PreparedLine } from '../operations/ingest-batch.js';
import { rejectedLine } from '../operations/rejected-line.js';
import { ProblemError } from '../problem.js';
import { refusalOf } from './authenticate.js';
import type { Middleware } from './in-order.js';
import { type Line, linesOf } from './lines.js';
import { withSubject } from './require-session.js';
import type { Validation } from './validate.js';
import { whenSettled } from './when-settled.js';

/** Lines that are prepared before other requests are served. */
const linesAtOnce = 16;

export interface BatchParts {
  readonly prepareReading: (caller: Caller, submission: Submission) => PreparedLine['reading'];
  readonly monthlyCalls: MonthlyCalls;
  readonly sessionRequests: WindowLimit;
  readonly countFailure: FailureLimit;
  readonly observeRefusal: (policy: LimitPolicy) => void;
}

/** Data that the lines of one request share. */
interface Batch {
  readonly request: Request;
  readonly response: Response;
  readonly caller: Caller;
  /** Quota of the month after the last line. Absent if the month is unlimited. */
  month?: Allowance | undefined;
}

/**
 * Prepares the lines of a batch. Each line passes the checks that a request of its own would pass, in the same order:
 * validation, token, month, session, signals and timestamp. A rejected line gets its result here.
 */
export function prepareBatch(parts: BatchParts, validateBody: Validation['validateBody']): Middleware {
  return async (request, response, next) => {
    const { route, caller, requestId } = response.locals;
    if (route?.operationId !== 'ingestBatch' || !caller) return next();
    const lines = linesOf(request.body as string);
    response.locals.logged = { ...response.locals.logged, lines: lines.length };
    const calls = countLines(parts, caller, lines.length, response);
    const batch: Batch = { request, response, caller };
    const prepared: PreparedBatch['lines'][number][] = [];
    for (let from = 0; from < lines.length; from += linesAtOnce) {
      const some = lines.slice(from, from + linesAtOnce);
      const prepareOne = (line: Line, index: number) =>
        prepareLine(parts, validateBody, batch, line, calls[from + index]);
      prepared.push(...(await Promise.all(some.map(prepareOne))));
      await yieldToOthers();
    }
    if (batch.month) response.set(rateLimitFields([batch.month]));
    request.body = { requestId, lines: prepared } satisfies PreparedBatch;
    next();
  };
}

/**
 * Begins a call per line. The request's own call stands for one line. Lines that a limit rejected do not count, but the
 * request always counts as one call.
 */
function countLines(
  { monthlyCalls, observeRefusal }: BatchParts,
  caller: Caller,
  count: number,
  response: Response,
): ReadonlyArray<Call | undefined> {
  const refusals: LimitPolicy[] = [];
  response.locals.refusals = refusals;
  const others = Array.from({ length: count - 1 }, () => monthlyCalls.begin(caller));
  whenSettled(response, () => {
    for (const [index, call] of others.entries()) call.end(index < refusals.length);
    for (const policy of refusals) observeRefusal(policy);
  });
  return [undefined, ...others];
}

async function prepareLine(
  parts: BatchParts,
  validateBody: Validation['validateBody'],
  batch: Batch,
  { line, text }: Line,
  call: Call | undefined,
): Promise<PreparedLine | Schema<'LineResult'>> {
  try {
    const body = withSubject(batch.caller, parseLine(text));
    await validateBody('ingest', body);
    const submission = body as Submission;
    requireOwnSession(parts, batch, submission.session_id);
    batch.month = (await call?.admit()) ?? batch.month;
    const allowance = await parts.sessionRequests(batch.caller.accountId, submission.session_id);
    if (allowance?.isExceeded) throw new RateLimitError(allowance);
    return { line, reading: parts.prepareReading(batch.caller, submission) };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const { refusals, requestId } = batch.response.locals;
    if (error instanceof RateLimitError) refusals?.push(error.exceeded.policy);
    return rejectedLine(line, error, requestId);
  }
}

function parseLine(text: string): unknown {
  if (Buffer.byteLength(text) > bodyLimits.max_bytes) throw new ProblemError('body_too_large');
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ProblemError('invalid_payload', { cause });
  }
}

/** Rejects a line for another session than that of the caller's token. */
function requireOwnSession({ countFailure }: BatchParts, { request, response }: Batch, sessionId: string): void {
  const { locals } = response;
  if (!locals.token || locals.token.sessionId === sessionId) return;
  locals.logged = { ...locals.logged, token_refusal: 'not valid for this session' };
  throw refusalOf(request, response, new ProblemError('invalid_token'), countFailure);
}
