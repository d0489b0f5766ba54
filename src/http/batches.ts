import type { Readable } from 'node:stream';
import type { Response } from 'express';
import { batch as settings, limits } from '../../generated/spec.js';
import type { Schema } from '../contract/contract.js';
import { ProblemError } from '../contract/problem.js';
import type { FailureLimit } from '../limits/failure-limit.js';
import type { CountedCall, MonthlyCalls } from '../limits/monthly-calls.js';
import { createRoundRobin } from '../limits/round-robin.js';
import { createConcurrencyLimit, type LimitPolicy, RateLimitError } from '../limits/window-limit.js';
import { createErrorLimit, type PreparedBatch, type PreparedLine, toRejectedLine } from '../operations/ingest-batch.js';
import type { Admit } from '../readings/intake.js';
import { countRefusal } from './admit.js';
import type { Format, WatchUpload } from './body.js';
import { type Exchange, requireCaller, type Step } from './exchange.js';
import { decodeLines, type Line, splitLines, parseLine, toLines } from './lines.js';
import { whenSettled, whenWritten } from './messages.js';

/** Bodies with one reading per line, or an array of readings. Both are parsed to lines. */
export function createBatchFormat(watch: WatchUpload): Format {
  return {
    parsers: {
      'application/json': (bytes) => decodeLines(toLines(bytes)),
      'application/x-ndjson': decodeLines,
    },
    bytesMax: settings.max_bytes,
    // A string is a body that was encoded as JSON twice, which the parser of arrays states.
    findType(bytes) {
      const first = String.fromCharCode(bytes.find((byte) => byte > 0x20) ?? 0);
      return { '[': 'application/json', '"': 'application/json', '{': 'application/x-ndjson' }[first];
    },
    watch,
  };
}

/** Rejects batches above the maximum number of an account with RateLimitError, before their bodies are read. */
export function limitBatchesOfAccount(): Step {
  const { policy, quota } = limits.batches;
  const beginEntry = createConcurrencyLimit({ policy, quota, resetSeconds: settings.refused_retry_seconds });
  return (exchange, response) => whenWritten(requireResponse(response), beginEntry(requireCaller(exchange).accountId));
}

/**
 * Rejects batches above the maximum number in progress with service_unavailable. A batch uses several MB of memory, and
 * its lines wait in the queue of all readings. Runs after the body is read, because slow uploads would otherwise occupy
 * the slots of all accounts.
 */
export function limitBatches(): Step {
  let inProgress = 0;
  return (_exchange, response) => {
    if (inProgress >= settings.in_progress_max)
      throw new ProblemError('service_unavailable', { cause: 'too many batches in progress' });
    inProgress += 1;
    whenWritten(requireResponse(response), () => (inProgress -= 1));
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
 * Replaces the body with the prepared lines. A rejected line gets its result here. Accounts are served round robin, a few lines
 * per iteration of the event loop. Many batches therefore delay other requests no more than a single batch.
 */
export function takeLines(admit: Admit, parts: BatchParts): Step {
  const roundRobin = createRoundRobin({ sliceRows: linesAtOnce });
  return async (exchange, response) => {
    const lines = splitLines(exchange.body as string);
    exchange.logged = { ...exchange.logged, lines: lines.length };
    const calls = countLines(parts, lines.length, exchange, requireResponse(response));
    const admitLine = createAdmitLine(admit, parts.countFailure, exchange);
    const limitErrors = createErrorLimit();
    const prepared: PreparedBatch['lines'][number][] = [];
    await roundRobin.run(requireCaller(exchange).accountId, async (pause) => {
      for (let from = 0; from < lines.length; from += linesAtOnce) {
        const some = lines.slice(from, from + linesAtOnce);
        const admitted = await Promise.all(some.map((line, index) => admitLine(line, calls[from + index])));
        prepared.push(...admitted.map((line) => ('reading' in line ? line : limitErrors(line))));
        await pause(linesAtOnce);
      }
    });
    exchange.body = { requestId: exchange.requestId, lines: prepared } satisfies PreparedBatch;
  };
}

/**
 * Begins a call per line. The request's own call stands for the first line. Lines that a limit rejected do not count,
 * but the request always counts as one call.
 */
function countLines(
  { monthlyCalls, observeRefusal }: BatchParts,
  count: number,
  exchange: Exchange,
  response: Response,
): ReadonlyArray<CountedCall | undefined> {
  const caller = requireCaller(exchange);
  const refusals: LimitPolicy[] = [];
  exchange.refusals = refusals;
  const others = Array.from({ length: count - 1 }, () => monthlyCalls.begin(caller));
  whenSettled(response, () => {
    for (const [index, call] of others.entries()) call.end(index < refusals.length);
    for (const policy of refusals) observeRefusal(policy);
  });
  return [undefined, ...others];
}

/** Returns a function that prepares a line, or returns the result of a rejected line. */
function createAdmitLine(admit: Admit, countFailure: FailureLimit, exchange: Exchange) {
  const { requestId } = exchange;
  const caller = requireCaller(exchange);
  return async ({ line, text }: Line, call: CountedCall | undefined): Promise<PreparedLine | Schema<'LineResult'>> => {
    const value = parseLine(text);
    const { reading, allowances } =
      value instanceof ProblemError ? { reading: value, allowances: [] } : await admit({ caller, call }, value);
    const month = allowances.filter(({ policy }) => policy === limits.monthly.policy);
    if (month.length > 0) exchange.allowances = month;
    if (!(reading instanceof ProblemError)) return { line, reading };
    const isTokenRefused = reading.code === 'invalid_token';
    const problem = isTokenRefused ? countRefusal(reading, exchange, countFailure) : reading;
    if (problem instanceof RateLimitError) exchange.refusals?.push(problem.exceeded.policy);
    return toRejectedLine(line, problem, requestId);
  };
}

/** No tool of MCP takes a batch: its limits end with the response. */
function requireResponse(response: Response | undefined): Response {
  if (!response) throw new Error('a batch requires an HTTP response');
  return response;
}

interface Upload {
  readonly body: Readable;
  readonly accountId: string;
  bytes: number;
}

/**
 * Bounds the memory of the bodies that the process is receiving. Above the bound, it closes the oldest connection of the
 * account that has sent the most bytes. An account that sends slowly or often therefore loses its own uploads first.
 */
export function createUploads(bytesMax: number = settings.receiving_bytes_max): WatchUpload {
  /** In the order of their start. */
  const uploads = new Set<Upload>();
  let total = 0;

  const end = (upload: Upload) => {
    if (uploads.delete(upload)) total -= upload.bytes;
  };
  const closeOldestOfLargest = () => {
    const countBytes = new Map<string, number>();
    for (const { accountId, bytes } of uploads) countBytes.set(accountId, (countBytes.get(accountId) ?? 0) + bytes);
    const largest = [...countBytes].reduce((a, b) => (b[1] > a[1] ? b : a))[0];
    const oldest = [...uploads].find(({ accountId, bytes }) => accountId === largest && bytes > 0) as Upload;
    end(oldest);
    oldest.body.destroy();
  };
  return (body, accountId) => {
    const upload: Upload = { body, accountId, bytes: 0 };
    uploads.add(upload);
    const count = ({ length }: Buffer) => {
      if (!uploads.has(upload)) return;
      upload.bytes += length;
      total += length;
      while (total > bytesMax) closeOldestOfLargest();
    };
    body.on('data', count);
    return () => {
      body.off('data', count);
      end(upload);
    };
  };
}
