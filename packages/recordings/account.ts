/*
 * The outcome of every value of a file or body. A value is a cell of a CSV, an attribute or text of XML, a field of a FIT
 * message, or a text, number, boolean or null of JSON. Each line of a text and each number of a list is one, too.
 */

export const outcomes = [
  'used',
  'merged',
  'day_summary',
  'placeholder',
  'context',
  'unknown_field',
  'refused',
] as const;
/** `SourceValues` of the contract explains them. */
export type Outcome = (typeof outcomes)[number];
export type Account = Record<Outcome, number>;

/** Numbers of values of a part of the content, of which `context` say what the others mean. */
export interface Seen {
  readonly seen: number;
  readonly context: number;
  /** Names of fields that are not read. */
  readonly unknown?: readonly string[];
}

export function createAccount(): Account {
  return { used: 0, merged: 0, day_summary: 0, placeholder: 0, context: 0, unknown_field: 0, refused: 0 };
}

/** Names of what says when, by which device or in which unit something was measured. */
const contextName =
  /(time|date|zone|device|source|units?$|version|type|name|provider|model|user|person|client|team|reference|status|^intervals?$|dataset_?interval|chunk|total_|sample_count|slug|kind|confidence|activity_?level|^id$|_id$|^uuid$|^min$|^max$|^start|^end|^at$|^ts$|stamp|epoch|offset|duration)/i;
const isTimeOfDay = /_at$|[a-z]At$|[lL]ast_?([cC]hanged|[uU]pdated)/;

/** Returns true for the name of a value that says what others mean. */
export function isContextName(name: string): boolean {
  return contextName.test(name) || isTimeOfDay.test(name);
}

/** Returns the numbers of values of parsed JSON. The name of a list is looked at once, whatever its length. */
export function countLeaves(body: unknown): Seen {
  let [seen, context] = [0, 0];
  const open: [name: string, value: unknown][] = [['', body]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [name, value] = next;
    if (isBranch(value) && !Array.isArray(value)) {
      open.push(...Object.entries(value));
      continue;
    }
    let count = 0;
    for (const it of Array.isArray(value) ? value : [value])
      if (isBranch(it)) open.push([name, it]);
      else count += typeof it === 'string' ? countLines(it) : 1;
    seen += count;
    if (count > 0 && isContextName(name)) context += count;
  }
  return { seen, context };
}

function isBranch(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function countLines(text: string): number {
  return text.includes('\n') ? Math.max(1, text.split('\n').filter((line) => line.trim() !== '').length) : 1;
}

/** Returns the numbers of values of a JSON text that is too large to parse at once. */
export function countJson(text: string): Seen {
  let [seen, context, isContext] = [0, 0, false];
  for (const [token, name] of text.matchAll(/"((?:[^"\\]|\\.)*)"\s*:|"(?:[^"\\]|\\.)*"|[^\s"[\]{},:]+/g))
    if (name === undefined || !token.endsWith(':')) {
      seen += 1;
      context += isContext ? 1 : 0;
    } else isContext = isContextName(name);
  return { seen, context };
}

/** Returns e.g. `1 used, 4 merged, 18 context` of an account, without what is 0. */
export function describeAccount(account: Account): string {
  const parts = outcomes.filter((it) => account[it] > 0);
  return parts.map((it) => `${account[it]} ${it.replaceAll('_', ' ')}`).join(', ') || 'none';
}
