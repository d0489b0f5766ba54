import type { Operation } from '../../packages/docs/contract.js';
import { operations } from '../../testkit/documented-requests.js';

/** A hostile request. It does not contain a key. */
export interface HostileRequest {
  readonly name: string;
  readonly method: string;
  /** Path with query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** Returns a random number in [0, 1). */
export type Random = () => number;

/** `start` is the valid beginning of a body, so that an invalid part is found as late as possible. */
type Grammar = (random: Random, start: string) => string | Buffer;

const pick = <T>(random: Random, items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
const repeat = (random: Random, text: string, most: number) => text.repeat(1 + Math.floor(random() * most));

const injections = [
  `' OR 1=1; DROP TABLE sessions; --`,
  `"; select sleep(10); --`,
  '<script>alert(1)</script>',
  '${jndi:ldap://127.0.0.1/a}',
  '{{7*7}}',
  '../../../../etc/passwd',
  '%00',
  '\r\nX-Injected: 1',
  '__proto__',
  'constructor',
  'toString',
];
const oddText = [
  '\u0000',
  '\u202Eevil',
  '\u200b\u200b',
  '\ufeff',
  '𝕳𝖊𝖑𝖑𝖔',
  'e\u0301'.repeat(50),
  '👨‍👩‍👧‍👦',
  '\\ud800',
  '\\udfff\\ud800',
  'ﷺ'.repeat(100),
];
const numbers = [
  '1e400',
  '-1e400',
  '-0',
  '1e-400',
  '9'.repeat(400),
  '0.1e+9999',
  '1E309',
  '-9007199254740993',
  '0x10',
  'NaN',
  'Infinity',
  '01',
  '.5',
  '+1',
];
const fields = [
  'session_id',
  'subject_id',
  'timestamp',
  'heart_rate',
  'sdnn',
  'tone',
  'expression',
  'sentiment',
  'user_message',
  'ai_response',
  'url',
  'events',
  'delivery_ids',
  'scopes',
  'expires_in',
  'stress',
  'duration_seconds',
  'note_code',
  'webhook_id',
  'since',
  '__proto__',
  'hrv_sdnn',
  '',
];
const values = [
  'null',
  'true',
  '[]',
  '{}',
  '""',
  '"x"',
  '-1',
  '1e999',
  '[[[]]]',
  '{"a":{"b":{}}}',
  '"2026-02-30T00:00:00Z"',
  '"9999-12-31T23:59:59.999999999Z"',
  '["state_change","state_change"]',
  '["read","read"]',
  '["ingest","admin"]',
  '3601',
  '"http://[::1]:1/"',
  '"javascript:alert(1)"',
];

const quoted = (text: string) => JSON.stringify(text);
const field = (random: Random, value: string) => `${quoted(pick(random, fields))}:${value}`;

/** Returns the beginning of a valid body: a token request, a report, or a reading. */
const validStart = (path: string) => {
  if (path === '/v1/tokens') return '"session_id":"hostile","scopes":["read"]';
  const value = path === '/v1/feedback' ? '"stress":5' : '"heart_rate":80';
  return `"session_id":"hostile","timestamp":"${new Date().toISOString()}",${value}`;
};

/** Generators of hostile bodies, one per kind. */
const grammars: Readonly<Record<string, Grammar>> = {
  brokenUtf8: (random, start) => {
    const bytes = Buffer.from(`{${start},"user_message":"${'x'.repeat(40)}"}`);
    for (let index = 0; index < 3; index += 1)
      bytes[bytes.length - 4 - Math.floor(random() * 38)] = 0x80 + Math.floor(random() * 128);
    return bytes;
  },
  deepNesting: (random, start) => {
    const depth = 1 + Math.floor(random() * 1_300);
    const [open, close] = pick(random, [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const);
    return `{${start},${field(random, `${open.repeat(depth)}1${close.repeat(depth)}`)}}`;
  },
  hugeNumbers: (random, start) => `{${start},${field(random, pick(random, numbers))}}`,
  oddUnicode: (random, start) => `{${start},${field(random, `"${repeat(random, pick(random, oddText), 4)}"`)}}`,
  injection: (random, start) => `{${start},${field(random, quoted(repeat(random, pick(random, injections), 3)))}}`,
  wrongTypes: (random) =>
    `{${Array.from({ length: 1 + Math.floor(random() * 6) }, () => field(random, pick(random, values))).join(',')}}`,
  brokenJson: (random, start) => {
    const whole = `{${start},${field(random, pick(random, values))}}`;
    return pick(random, [
      whole.slice(0, Math.floor(random() * whole.length)),
      `${whole},`,
      `${whole}${whole}`,
      `/*${whole}*/`,
      `\ufeff${whole}`,
      `[${whole}`,
      whole.replaceAll('"', "'"),
      '',
    ]);
  },
  manyKeys: (random) =>
    `{${Array.from({ length: 1 + Math.floor(random() * 300) }, (_, index) => `"k${index}":1`).join(',')}}`,
  sameKeys: (random, start) => `{${start},${`"tone":${pick(random, values)},`.repeat(20)}"tone":"calm"}`,
  long: (random, start) => `{${start},"user_message":"${'x'.repeat(Math.floor(random() * 9_000))}"}`,
};

const headerTricks: ReadonlyArray<Readonly<Record<string, string>>> = [
  { 'Content-Type': 'application/json' },
  { 'Content-Type': 'application/json; charset=utf-16' },
  { 'Content-Type': 'application/json;'.repeat(50) },
  { 'Content-Type': 'text/html' },
  { 'Content-Type': 'multipart/form-data; boundary=x' },
  { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
  { 'Content-Type': 'application/json', 'X-HTTP-Method-Override': 'DELETE' },
  { 'Content-Type': 'application/json', 'X-Forwarded-For': "127.0.0.1, ' OR 1=1" },
  { 'Content-Type': 'application/json', 'X-Forwarded-Host': 'evil.example.com', Host: 'evil.example.com' },
  { 'Content-Type': 'application/json', 'X-Request-Id': '../../etc/passwd' },
  { 'Content-Type': 'application/json', Expect: '200-maybe' },
  { 'Content-Type': 'application/json', Range: 'bytes=0-18446744073709551615' },
  { 'Content-Type': 'application/json', Cookie: 'a=b; '.repeat(300) },
  { 'Content-Type': 'application/json', 'Last-Event-ID': '9'.repeat(400) },
  { 'Content-Type': 'application/json', 'Last-Event-ID': '9007199254740993' },
  { 'Content-Type': 'application/json', 'Last-Event-ID': '-1' },
  ...['Bearer', 'Bearer a.b.c', `Bearer ${'a.'.repeat(2_000)}`, 'Bearer eyJhbGciOiJub25lIn0.e30.', 'Basic Og=='].map(
    (Authorization) => ({ 'Content-Type': 'application/json', 'X-Service-Key': '', Authorization }),
  ),
];

const queryTexts = [
  ...injections,
  ...oddText.slice(0, 6),
  'a[b]=c',
  '%',
  '%zz',
  '%ff%fe',
  '%C0%80',
  '&&&',
  '=',
  '1e1',
  '0x10',
  '-1',
  '61',
  '9'.repeat(400),
  'x'.repeat(5_000),
  '..',
  '.',
  '//',
  ';',
];

const batchPath = '/v1/ingest/batch';
const ndjson = 'application/x-ndjson';
const linesMax = 8;

/** Returns hostile lines of a batch. Some of them are valid readings with unusual values. */
export function hostileLines(random: Random, count: number): Buffer[] {
  const all = Object.values(grammars);
  return Array.from({ length: count }, (_, index) => {
    const grammar = all[index % all.length] as Grammar;
    return Buffer.from(grammar(random, validStart(batchPath)));
  });
}

/** Joins lines to a body. */
export function bodyOfLines(lines: readonly Uint8Array[]): Buffer {
  return Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]));
}

/** Returns `perOperation` requests per operation of the contract, each hostile in its body, query, path or headers. */
export function hostileRequests(random: Random, perOperation: number): HostileRequest[] {
  return operations.flatMap((operation) =>
    Array.from({ length: perOperation }, (_, index) => makeOne(random, index, operation)),
  );
}

function makeOne(random: Random, index: number, operation: Operation): HostileRequest {
  const { path = '', method, request, parameters } = operation;
  const [name, grammar] = Object.entries(grammars)[index % Object.keys(grammars).length] as [string, Grammar];
  const takesBody = request !== undefined;
  const target = fillPath(random, path) + (takesBody && index % 3 !== 0 ? '' : hostileQuery(random, parameters));
  const start = () => Buffer.from(grammar(random, validStart(path)));
  const body = takesBody || index % 4 === 0 ? start() : undefined;
  const headers = index % 5 === 0 ? pick(random, headerTricks) : { 'Content-Type': 'application/json' };
  if (path === batchPath && index % 5 !== 0) {
    const lines = [start(), ...hostileLines(random, Math.floor(random() * linesMax))];
    const fields = { headers: { 'Content-Type': ndjson }, body: bodyOfLines(lines) };
    return { name: `${name} ${method} ${path}`, method, target, ...fields };
  }
  return { name: `${name} ${method} ${path}`, method, target, headers, ...(body && { body }) };
}

function fillPath(random: Random, path: string): string {
  return path.replace(/\{\w+\}/g, () => encode(random, pick(random, queryTexts).slice(0, 300)) || 'x');
}

function hostileQuery(random: Random, parameters: Operation['parameters']): string {
  const names = [...parameters.map(({ name }) => name), 'verbose', '__proto__', 'a[b]', ''];
  const pairs = Array.from(
    { length: Math.floor(random() * 4) },
    () => `${encodeURIComponent(pick(random, names))}=${encode(random, pick(random, queryTexts))}`,
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** Encodes a text for a URL. Leaves some characters unencoded if HTTP allows them. */
function encode(random: Random, text: string): string {
  return random() < 0.5 && /^[!-~]+$/.test(text) && !/[#?/]/.test(text) ? text : encodeURIComponent(text);
}
