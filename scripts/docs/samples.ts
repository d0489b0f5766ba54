/** A request as the samples write it; the console of the page makes its curl line of the same. */
export interface SampleRequest {
  readonly method: string;
  /** With its query. */
  readonly url: string;
  readonly needsKey: boolean;
  /** JSON text; absent where nothing is sent. */
  readonly body?: string | undefined;
  readonly hasAnswer: boolean;
}

export interface Sample {
  readonly language: string;
  readonly highlight: string;
  readonly code: string;
}

/** Where samples send to until the page knows better. */
export const localServer = 'http://127.0.0.1:8080';

/** Readings are refused when they are old, so samples that carry this field send the present instant. */
const presentName = 'timestamp';
const presentField = new RegExp(`^(\\s*"${presentName}": )"[^"]*"`, 'm');

/** The same request in each language; Python needs its standard library alone. */
export function samplesOf(request: SampleRequest): Sample[] {
  return [
    { language: 'curl', highlight: 'bash', code: curl(request) },
    { language: 'TypeScript', highlight: 'typescript', code: typescript(request) },
    { language: 'Python', highlight: 'python', code: python(request) },
  ];
}

export function curl({ method, url, needsKey, body }: SampleRequest): string {
  const parts = [
    `curl -s ${method === 'GET' || body !== undefined ? '' : `-X ${method} `}"${url}"`,
    needsKey && '-H "X-Service-Key: $KEY"',
    body !== undefined && "-H 'Content-Type: application/json'",
  ];
  const line = parts.filter(Boolean).join(' \\\n  ');
  return body === undefined ? line : `${line} \\\n  -d @- <<JSON\n${shellText(body)}\nJSON`;
}

/** Inside a here-document, where the shell still fills in commands. */
function shellText(body: string): string {
  return body.replace(/[\\$`]/g, '\\$&').replace(presentField, '$1"$(date -u +%Y-%m-%dT%H:%M:%SZ)"');
}

function typescript({ method, url, needsKey, body, hasAnswer }: SampleRequest): string {
  const headers = [
    needsKey && "'X-Service-Key': process.env.KEY!",
    body !== undefined && "'Content-Type': 'application/json'",
  ].filter(Boolean);
  const options = [
    method !== 'GET' && `  method: '${method}',`,
    headers.length > 0 && `  headers: { ${headers.join(', ')} },`,
    body !== undefined && `  body: JSON.stringify(${literal(JSON.parse(body), script)}),`,
  ].filter(Boolean);
  const call = options.length === 0 ? `fetch('${url}')` : `fetch('${url}', {\n${options.join('\n')}\n})`;
  const last = hasAnswer ? 'console.log(await response.json());' : 'console.log(response.status);';
  return `const response = await ${call};\n${last}`;
}

function python({ method, url, needsKey, body, hasAnswer }: SampleRequest): string {
  const imports = [
    (body !== undefined || hasAnswer) && 'import json',
    needsKey && 'import os',
    body !== undefined && presentField.test(body) && 'from datetime import datetime, timezone',
    'from urllib.request import Request, urlopen',
  ].filter(Boolean);
  const headers = [
    needsKey && '"X-Service-Key": os.environ["KEY"]',
    body !== undefined && '"Content-Type": "application/json"',
  ].filter(Boolean);
  const options = [
    `    "${url}",`,
    method !== 'GET' && `    method="${method}",`,
    headers.length > 0 && `    headers={${headers.join(', ')}},`,
    body !== undefined && `    data=json.dumps(${literal(JSON.parse(body), pythonic)}).encode(),`,
  ].filter(Boolean);
  const last = hasAnswer ? 'print(json.load(response))' : 'print(response.status)';
  return `${imports.join('\n')}\n\nrequest = Request(\n${options.join('\n')}\n)\nwith urlopen(request) as response:\n    ${last}`;
}

/** How a language writes values. */
interface Syntax {
  readonly key: (name: string) => string;
  readonly string: (text: string) => string;
  readonly words: Readonly<Record<string, string>>;
  readonly now: string;
  readonly step: number;
}

const script: Syntax = {
  key: (name) => name,
  string: (text) => `'${text.replace(/['\\]/g, '\\$&')}'`,
  words: {},
  now: 'new Date().toISOString()',
  step: 2,
};
const pythonic: Syntax = {
  key: (name) => JSON.stringify(name),
  string: (text) => JSON.stringify(text),
  words: { true: 'True', false: 'False', null: 'None' },
  now: 'datetime.now(timezone.utc).isoformat()',
  step: 4,
};

/** A value as an expression, one field a line. */
function literal(value: unknown, syntax: Syntax, depth = 1): string {
  if (typeof value === 'string') return syntax.string(value);
  if (Array.isArray(value)) return `[${value.map((it) => literal(it, syntax, depth)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return syntax.words[String(value)] ?? String(value);
  const pad = ' '.repeat(syntax.step * depth);
  const fields = Object.entries(value).map(([name, it]) => {
    const written = name === presentName ? syntax.now : literal(it, syntax, depth + 1);
    return `${pad}${' '.repeat(syntax.step)}${syntax.key(name)}: ${written},\n`;
  });
  return `{\n${fields.join('')}${pad}}`;
}
