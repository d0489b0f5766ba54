import { isUtf8 } from 'node:buffer';
import { batch as limits } from '../../generated/spec.js';
import { fault, ProblemError } from '../problem.js';

/** A line of a body with its number, from 1. */
export interface Line {
  readonly line: number;
  readonly text: string;
}

const lineFeed = 0x0a;
/** Not JSON. */
const undecodable = '\ufffd';

/**
 * Decodes an NDJSON body. A line that is not UTF-8 is replaced by a text that is not JSON, so that only this line is
 * rejected.
 */
export function decodeLines(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  const lines: string[] = [];
  for (let from = 0; from <= bytes.length;) {
    const found = bytes.indexOf(lineFeed, from);
    const end = found < 0 ? bytes.length : found;
    const line = bytes.subarray(from, end);
    lines.push(isUtf8(line) ? line.toString() : undecodable);
    from = end + 1;
  }
  return lines.join('\n');
}

/**
 * Returns the lines that are not empty. Throws a ProblemError if there are none, or more than a request may have.
 */
export function linesOf(body: string): Line[] {
  const lines: Line[] = [];
  for (let from = 0, line = 1; from < body.length; line += 1) {
    const found = body.indexOf('\n', from);
    const end = found < 0 ? body.length : found;
    const text = body.slice(from, end);
    if (/\S/.test(text)) lines.push({ line, text });
    if (lines.length > limits.lines_max) throw tooManyLines();
    from = end + 1;
  }
  if (lines.length === 0) throw new ProblemError('invalid_payload');
  return lines;
}

function tooManyLines(): ProblemError {
  const tooMany = fault('too_many_items', { pointer: '' }, String(limits.lines_max));
  return new ProblemError('validation_failed', { faults: [tooMany] });
}
