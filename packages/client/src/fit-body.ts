import { body as limits } from '../../../generated/spec.js';
import type { Submission } from './schemas.js';

const encoder = new TextEncoder();

/**
 * Returns the submission with texts cut at their end to fit the body limit, because the reading matters more than the
 * end of a text. Keeps the shorter text whole if it uses at most half of the available space. Omits texts that would
 * become empty.
 */
export function fitBody(submission: Submission, maxBytes: number = limits.max_bytes): Submission {
  if (bytesOf(submission) <= maxBytes) return submission;
  const { user_message, ai_response, ...signals } = submission;
  const texts = Object.entries({ user_message, ai_response }).filter(
    (it): it is [string, string] => it[1] !== undefined,
  );
  const empty = Object.fromEntries(texts.map(([name]) => [name, '']));
  let room = maxBytes - bytesOf({ ...signals, ...empty });
  const shortestFirst = texts.sort(([, a], [, b]) => escapedBytes(a) - escapedBytes(b));
  const cut = shortestFirst.map(([name, text], index): [string, string] => {
    const kept = cutTo(text, Math.floor(room / (texts.length - index)));
    room -= escapedBytes(kept);
    return [name, kept];
  });
  return { ...signals, ...Object.fromEntries(cut.filter(([, text]) => text !== '')) };
}

/** Returns the longest start of a text, in whole code points, that fits into `maxBytes` of JSON. */
function cutTo(text: string, maxBytes: number): string {
  let bytes = 0;
  let length = 0;
  for (const character of text) {
    bytes += escapedBytes(character);
    if (bytes > maxBytes) return text.slice(0, length);
    length += character.length;
  }
  return text;
}

/** Returns the JSON size of a text without its quotes, in bytes. */
function escapedBytes(text: string): number {
  return bytesOf(text) - 2;
}

function bytesOf(value: unknown): number {
  return encoder.encode(JSON.stringify(value)).length;
}
