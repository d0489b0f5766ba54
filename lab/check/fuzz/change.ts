import type { Sent } from '../../../testkit/contract-plan.js';

export type Random = () => number;

export const pick = <Value>(random: Random, values: readonly Value[]): Value =>
  values[Math.floor(random() * values.length)] as Value;

/** Texts that are odd in an id, a time, a header or a URL. */
const oddTexts = [
  ...[
    '',
    ' ',
    '.',
    '..',
    '/',
    '%',
    '%00',
    '\u0000',
    '\n',
    '"',
    "' or 1=1 --",
    '+',
    '#',
    '*',
    '🙂',
    'é',
    '\ud800',
    '\u202e',
  ],
  ...[
    '__proto__',
    'constructor',
    'null',
    'true',
    '0',
    '-1',
    '1e400',
    'x'.repeat(65),
    'x'.repeat(257),
    'x'.repeat(3_000),
  ],
  ...['2026-02-30T00:00:00Z', '1969-12-31T23:59:59Z', '9999-12-31T23:59:59.999Z', '2026-06-30T23:59:60Z', 'now'],
  ...[
    'http://127.0.0.1/',
    'https://[::1]/',
    'javascript:alert(1)',
    'https://u:p@x.invalid/',
    'watch_000000000000',
    'srk_0',
  ],
];
const oddNumbers = [0, -0, 1, -1, 0.5, 1e-320, 1e308, 2 ** 31, 2 ** 53, -(2 ** 63), 1_795_253_400, 1_795_253_400_000];
const oddValues = [
  null,
  true,
  false,
  {},
  [],
  [null],
  [[]],
  [{}],
  { v: 1 },
  { a: { b: [] } },
  ...oddNumbers,
  ...oddTexts,
];

/** Returns a changed copy of a value: one of its parts is replaced, removed, added, doubled or swapped. */
export function changeValue(value: unknown, random: Random, known: readonly unknown[]): unknown {
  const odd = () => pick(random, random() < 0.7 ? oddValues : known);
  if (typeof value !== 'object' || value === null) return odd();
  const names = Object.keys(value);
  const name = pick(random, names.length === 0 ? ['x'] : names);
  const part = (value as Record<string, unknown>)[name];
  // A part below it, more often than the part itself.
  if (typeof part === 'object' && part !== null && random() < 0.6)
    return replace(value, name, changeValue(part, random, known));
  if (random() < 0.15) return Object.fromEntries(Object.entries(value).filter(([it]) => it !== name));
  if (random() < 0.15) return replace(value, pick(random, ['x', '__proto__', ...known.map(String)]), odd());
  if (random() < 0.15) return replace(value, name, (value as Record<string, unknown>)[pick(random, names)]);
  return replace(value, name, odd());
}

function replace(value: object, name: string, part: unknown): unknown {
  if (Array.isArray(value)) return Object.assign([...value], { [/^\d+$/.test(name) ? name : value.length]: part });
  const copy: Record<string, unknown> = { ...value };
  Object.defineProperty(copy, name, { value: part, enumerable: true, configurable: true, writable: true });
  return copy;
}

/** Changes of a body that need not remain JSON. */
const damages: ReadonlyArray<(text: string, random: Random) => string> = [
  (text, random) => text.slice(0, Math.floor(random() * text.length)),
  (text) => `\ufeff${text}`,
  (text) => `${text}${text}`,
  (text) => `[${text}]`,
  (text) => text.replace(/\d+/, '1e400'),
  (text) => text.replace('{', '{"session_id":"twice",'),
  () => '['.repeat(2_000),
  () => `{"a":`.repeat(500),
  (text) => JSON.stringify(text),
  (text) => text.replaceAll('"', "'"),
];

function changeBody(text: string, random: Random, known: readonly unknown[]): string {
  if (random() < 0.15) return pick(random, damages)(text, random);
  const lines = text.split('\n');
  const index = Math.floor(random() * lines.length);
  const line = lines[index] ?? '';
  if (line === '') return text;
  const changed = JSON.stringify(changeValue(JSON.parse(line), random, known)) ?? '';
  return lines.with(index, changed).join('\n');
}

const encode = (value: unknown) => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  // A lone surrogate cannot be encoded.
  return encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '?')).replace('%25', '%');
};

/** Changes a parameter of the query, or a part of the path. */
function changePath(path: string, random: Random, known: readonly unknown[]): string {
  const value = encode(pick(random, random() < 0.6 ? oddValues : known)).slice(0, 2_000);
  const [place = '', query = ''] = path.split('?');
  const parameters = query === '' ? [] : query.split('&');
  if (random() < 0.2) {
    const parts = place.split('/');
    return [parts.with(-1, value).join('/'), ...(query === '' ? [] : [query])].join('?');
  }
  const index = Math.floor(random() * parameters.length);
  const name = parameters[index]?.split('=')[0] ?? pick(random, ['subject_id', 'session_id', 'cursor', 'x', 'limit']);
  const changed = pick(random, [
    [...parameters.toSpliced(index, 1), `${name}=${value}`],
    [...parameters, `${name}=${value}`],
    [
      ...parameters,
      `${pick(random, ['subject_id', 'session_id', 'device_id', 'include', 'format', '__proto__'])}=${value}`,
    ],
    parameters.toSpliced(index, 1),
    parameters.map((it) => it.replace('=', '[]=')),
  ]);
  return `${place}?${changed.join('&')}`;
}

const headerValues: Readonly<Record<string, readonly string[]>> = {
  'Content-Type': ['application/json', 'application/x-ndjson', 'text/plain', 'application/json; charset=utf-16', 'x'],
  Accept: ['text/html', 'application/hsi+json', 'text/event-stream', '*/*;q=0', 'x'],
  'Idempotency-Key': ['a', 'x'.repeat(300), '"a"', ' '],
  'Content-Encoding': ['gzip', 'identity', 'x'],
  Origin: ['https://evil.example', 'null'],
  Range: ['bytes=0-0'],
  'Last-Event-ID': ['1', 'x', '-1'],
};

/** Returns a changed copy of a request. */
export function changeRequest(sent: Sent, random: Random, known: readonly unknown[]): Sent {
  const { path, init } = sent;
  const kind = random();
  if (kind < 0.55 && init.body) {
    let body = changeBody(init.body, random, known);
    while (random() < 0.3 && body.startsWith('{')) body = changeSafely(body, random, known);
    return { ...sent, init: { ...init, body } };
  }
  if (kind < 0.85) return { ...sent, path: changePath(path, random, known) };
  if (kind < 0.95) {
    const name = pick(random, Object.keys(headerValues));
    return { ...sent, init: { ...init, headers: { ...init.headers, [name]: pick(random, headerValues[name] ?? []) } } };
  }
  const method = pick(random, ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
  const { body: _, ...bare } = init;
  return { ...sent, init: { ...(['GET', 'HEAD'].includes(method) ? bare : init), method } };
}

function changeSafely(body: string, random: Random, known: readonly unknown[]): string {
  try {
    return changeBody(body, random, known);
  } catch {
    return body;
  }
}

/** Returns the values that the enumerations of schemas contain. */
export function listEnums(schema: unknown): unknown[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { enum: values } = schema as { readonly enum?: unknown };
  return [...(Array.isArray(values) ? values : []), ...Object.values(schema).flatMap(listEnums)];
}
