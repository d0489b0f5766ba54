import { body as limits } from '../../../generated/spec.js';
import type { Submission } from './schemas.js';

const encoder = new TextEncoder();

/**
 * The same submission with its texts cut at their end, as far as the body limit needs it: a reading is worth more than
 * the rest of a text. The shorter text is kept whole while it takes no more than half of what there is room for. Texts
 * of which nothing would be left are left out.
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

/** As many whole code points from the start as fit into so many bytes of JSON. */
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

/** What a text takes inside of its quotes. */
function escapedBytes(text: string): number {
  return bytesOf(text) - 2;
}

function bytesOf(value: unknown): number {
  return encoder.encode(JSON.stringify(value)).length;
}
