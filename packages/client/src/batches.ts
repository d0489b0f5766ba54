import { batch as limits } from '../../../generated/spec.js';
import { fitBody } from './fit-body.js';
import { UnexpectedAnswerError } from './problem-error.js';
import type { BatchResult, Submission } from './schemas.js';

/**
 * Some requests of a batch succeeded before one failed. `cause` is the error of the failed request. Its readings may be
 * stored. Send the readings from `result.results.length` on again: resending is safe.
 */
export class PartialBatchError extends Error {
  override readonly name = 'PartialBatchError';

  constructor(
    /** The results of the first readings, in their order. */
    readonly result: BatchResult,
    cause: unknown,
  ) {
    const sent = result.results.length;
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(
      `the first ${sent} readings were sent, then a request failed: ${reason}. Send the readings from index ${sent} on again`,
      {
        cause,
      },
    );
  }
}

/**
 * Sends readings in as few requests as the limits of a batch allow, one after another. Resolves with one result per
 * reading, in their order. Rejects with PartialBatchError if a request after the first one fails.
 */
export async function sendBatches(
  submissions: readonly Submission[],
  send: (request: ReturnType<typeof toRequest>) => Promise<BatchResult>,
): Promise<BatchResult> {
  const whole: BatchResult = { accepted: 0, rejected: 0, results: [] };
  for (const lines of splitLines(submissions)) {
    try {
      addPart(whole, requireResults(await send(toRequest(lines)), lines.length));
    } catch (cause) {
      throw whole.results.length === 0 ? cause : new PartialBatchError(whole, cause);
    }
  }
  return whole;
}

/** Yields the lines of one request after another. Without readings, yields one request, which the service rejects. */
function* splitLines(submissions: readonly Submission[]): Generator<string[], void, undefined> {
  if (!Array.isArray(submissions)) throw new TypeError('submissions must be an array of readings');
  const encoder = new TextEncoder();
  let lines: string[] = [];
  let bytes = 0;
  for (const submission of submissions) {
    const line = `${JSON.stringify(fitBody(submission))}\n`;
    const size = encoder.encode(line).length;
    if (lines.length === limits.lines_max || (lines.length > 0 && bytes + size > limits.max_bytes)) {
      yield lines;
      [lines, bytes] = [[], 0];
    }
    lines.push(line);
    bytes += size;
  }
  yield lines;
}

/** Returns the options of a request with one line per reading (NDJSON). */
function toRequest(lines: readonly string[]) {
  return { body: lines.join(''), bodySerializer: String, headers: { 'Content-Type': 'application/x-ndjson' } };
}

function requireResults(part: BatchResult, count: number): BatchResult {
  if (!Array.isArray(part.results) || part.results.length !== count) throw new UnexpectedAnswerError(200);
  return part;
}

function addPart(whole: BatchResult, { accepted, rejected, results }: BatchResult): void {
  const before = whole.results.length;
  whole.accepted += accepted;
  whole.rejected += rejected;
  whole.results.push(...results.map((it) => ({ ...it, line: before + it.line })));
}
