import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Request, Response } from 'express';
import { batch as settings, limits } from '../../generated/spec.js';
import { createTurns } from '../store/session-snapshot.js';
import type { Fault, Schema } from '../contract/contract.js';
import { type Allowance, type LimitPolicy, RateLimitError, rateLimitFields } from '../limits/allowance.js';
import { createConcurrencyLimit } from '../limits/concurrency-limit.js';
import type { FailureLimit } from '../limits/failure-limit.js';
import type { Call, MonthlyCalls } from '../limits/monthly-calls.js';
import { createErrorLimit, type PreparedBatch, type PreparedLine, rejectedLine } from '../operations/ingest-batch.js';
import { ProblemError } from '../contract/problem.js';
import type { Admit } from '../readings/intake.js';
import { countRefusal } from './authenticate.js';
import type { Middleware } from './in-order.js';
import { type Line, linesOf, parseLine } from './lines.js';
import { whenSettled, whenWritten } from './responses.js';

/** Replaces the body by the prepared reading. `readFaults` returns the validation errors of the query. */
export function takeReading(admit: Admit, readFaults: (request: Request) => readonly Fault[]): Middleware {
  return async (request, response, next) => {
    const { caller, token, call, allowances } = response.locals;
    if (!caller) throw new Error('readings require a caller');
    const sender = { caller, tokenSession: token?.sessionId, call, allowances };
    const reading = await admit(sender, request.body, readFaults(request));
    response.set(rateLimitFields(allowances));
    if (reading instanceof ProblemError) throw reading;
    request.body = reading;
    next();
  };
}

/** Rejects batches above the maximum number of an account with RateLimitError, before their bodies are read. */
export function limitBatchesOfAccount(): Middleware {
  const { policy, quota } = limits.batches;
  const beginEntry = createConcurrencyLimit({ policy, quota, resetSeconds: settings.refused_retry_seconds });
  return (_request, response, next) => {
    const { caller } = response.locals;
    if (caller) whenWritten(response, beginEntry(caller.accountId));
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
    if (inProgress >= settings.in_progress_max)
      throw new ProblemError('service_unavailable', { cause: 'too many batches in progress' });
    inProgress += 1;
    whenWritten(response, () => (inProgress -= 1));
    next();
  };
}

export interface BatchParts {
  readonly monthlyCalls: MonthlyCalls;
  readonly countFailure: FailureLimit;
  readonly observeRefusal: (policy: LimitPolicy) => void;
}

/** Lines that are prepared before other requests are served. */
export const linesAtOnce = 8;

/**
 * Replaces the body by the prepared lines. A rejected line gets its result here. All batches take turns, a few lines per
 * iteration of the event loop, so that large batches delay other requests no more than one batch does.
 */
export function takeLines(admit: Admit, parts: BatchParts): Middleware {
  const inTurn = createTurns();
  return async (request, response, next) => {
    const { locals } = response;
    const lines = linesOf(request.body as string);
    locals.logged = { ...locals.logged, lines: lines.length };
    const calls = countLines(parts, lines.length, response);
    const admitLine = createAdmitLine(admit, parts.countFailure, request, response);
    const limitErrors = createErrorLimit();
    const prepared: PreparedBatch['lines'][number][] = [];
    for (let from = 0; from < lines.length; from += linesAtOnce) {
      const some = lines.slice(from, from + linesAtOnce);
      await inTurn(async () => {
        const admitted = await Promise.all(some.map((line, index) => admitLine(line, calls[from + index])));
        prepared.push(...admitted.map((line) => ('reading' in line ? line : limitErrors(line))));
        await yieldToOthers();
      });
    }
    request.body = { requestId: locals.requestId, lines: prepared } satisfies PreparedBatch;
    next();
  };
}

/**
 * Begins a call per line. The request's own call stands for the first line. Lines that a limit rejected do not count,
 * but the request always counts as one call.
 */
function countLines(
  { monthlyCalls, observeRefusal }: BatchParts,
  count: number,
  response: Response,
): ReadonlyArray<Call | undefined> {
  const { caller } = response.locals;
  const refusals: LimitPolicy[] = [];
  response.locals.refusals = refusals;
  const others = Array.from({ length: count - 1 }, () => caller && monthlyCalls.begin(caller));
  whenSettled(response, () => {
    for (const [index, call] of others.entries()) call?.end(index < refusals.length);
    for (const policy of refusals) observeRefusal(policy);
  });
  return [undefined, ...others];
}

/** Returns a function that prepares a line, or returns the result of a rejected line. */
function createAdmitLine(admit: Admit, countFailure: FailureLimit, request: Request, response: Response) {
  const { locals } = response;
  const { caller, token, requestId } = locals;
  if (!caller) throw new Error('readings require a caller');
  return async ({ line, text }: Line, call: Call | undefined): Promise<PreparedLine | Schema<'LineResult'>> => {
    const allowances: Allowance[] = [];
    const sender = { caller, tokenSession: token?.sessionId, call, allowances };
    const value = parseLine(text);
    const reading = value instanceof ProblemError ? value : await admit(sender, value);
    const month = allowances.filter(({ policy }) => policy === limits.monthly.policy);
    if (month.length > 0) response.set(rateLimitFields(month));
    if (!(reading instanceof ProblemError)) return { line, reading };
    const isTokenRefused = reading.code === 'invalid_token';
    const problem = isTokenRefused ? countRefusal(reading, request, response, countFailure) : reading;
    if (problem instanceof RateLimitError) locals.refusals?.push(problem.exceeded.policy);
    return rejectedLine(line, problem, requestId);
  };
}
