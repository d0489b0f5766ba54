/**
 * Reads and changes parts of JSON without building the document. A body may have 32 MB: parsing it would block all other
 * requests for seconds. Everything outside of a change stays the same, byte for byte.
 */
import { setImmediate as letOthersRun } from 'node:timers/promises';

/** A member of an object or array. Its value has the bytes from `start` to `end`. */
export interface Member {
  /** Empty in an array. */
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

export type JsonText = ReturnType<typeof openJson>;

/** Steps of the scan between two pauses, less than a millisecond. */
const stepsPerPause = 8_192;
/** Structure that is read. Strings need one step, so a conversation with images needs some thousand steps. */
const stepsMax = 2_000_000;
/** Longest start of a string that is read, in bytes. */
const stringBytesMax = 32_768;
/** Bytes of a string that take as long as a step. */
const bytesPerStep = 8;
/** More backslashes in front of a quote are no text. */
const backslashesMax = 10_000;
const [quote, backslash, comma, colon] = Buffer.from('"\\,:');
const [openObject, closeObject, openArray, closeArray] = Buffer.from('{}[]');

/** The JSON is broken, or has too much structure to read it in a short time. */
export class UnreadableJson extends Error {}

/**
 * All calls reject with UnreadableJson for bytes that are no JSON. Invalid values inside of valid brackets are not noticed.
 */
export function openJson(bytes: Buffer) {
  let steps = 0;
  let pauseAt = stepsPerPause;

  async function pause(): Promise<void> {
    if (steps > stepsMax) throw new UnreadableJson();
    pauseAt = steps + stepsPerPause;
    await letOthersRun();
  }

  /** Returns the members of the object or array that starts at the index. Of another value: none. */
  async function findMembers(at: number): Promise<Member[]> {
    const members: Member[] = [];
    let depth = 0;
    let key = '';
    let start = -1;
    let end = -1;
    let isString = false;
    for (let index = at; index < bytes.length; index += 1) {
      if ((steps += 1) > pauseAt) await pause();
      if (isString) {
        index = bytes.indexOf(quote as number, index);
        if (index < 0) break;
        isString = isEscaped(bytes, index);
        end = index + 1;
        continue;
      }
      const byte = bytes[index] as number;
      if (byte <= 0x20) continue;
      const isOpening = byte === openObject || byte === openArray;
      const isClosing = byte === closeObject || byte === closeArray;
      if (depth === 0 && !isOpening) return members;
      if (depth === 1 && (byte === comma || isClosing)) {
        if (start >= 0) members.push({ key, start, end });
        if (isClosing) return members;
        start = -1;
      } else if (depth === 1 && byte === colon) {
        key = String(readString(bytes, start, end));
        start = -1;
      } else {
        if (depth > 0 && start < 0) start = index;
        end = index + 1;
        depth += Number(isOpening) - Number(isClosing);
        isString = byte === quote;
      }
    }
    throw new UnreadableJson();
  }

  /** Returns the value. Long strings are cut. Numbers, and values below `depth` containers, are undefined. */
  async function readValue(member: Member | undefined, depth: number): Promise<unknown> {
    if (!member) return undefined;
    const { start, end } = member;
    const byte = bytes[start];
    if (byte === quote) {
      steps += Math.min(end - start, stringBytesMax) / bytesPerStep;
      return readString(bytes, start, end);
    }
    if (depth === 0 || (byte !== openObject && byte !== openArray)) return undefined;
    const entries: Array<[string, unknown]> = [];
    for (const it of await findMembers(start)) entries.push([it.key, await readValue(it, depth - 1)]);
    return byte === openArray ? entries.map(([, value]) => value) : Object.fromEntries(entries);
  }

  return { bytes, findMembers, readValue };
}

/** Returns the member of an object that `JSON.parse` uses: the last one with this key. */
export function findField(members: readonly Member[], key: string): Member | undefined {
  return members.findLast((member) => member.key === key);
}

function isEscaped(bytes: Buffer, index: number): boolean {
  let backslashes = 0;
  while (bytes[index - 1 - backslashes] === backslash)
    if ((backslashes += 1) > backslashesMax) throw new UnreadableJson();
  return backslashes % 2 === 1;
}

/** Reads the start of a string. Its last escape or character may be cut. Undefined if it is not a string. */
function readString(bytes: Buffer, start: number, end: number): string | undefined {
  const isCut = end - start > stringBytesMax;
  const text = bytes.toString('utf8', start, isCut ? start + stringBytesMax : end);
  for (let cut = 0; cut < (isCut ? 6 : 1); cut += 1) {
    try {
      return JSON.parse(isCut ? `${text.slice(0, text.length - cut)}"` : text) as string;
    } catch {
      // The end is in the middle of an escape.
    }
  }
  return undefined;
}
