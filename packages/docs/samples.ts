/** The request of a sample. The console in the page uses the same type to build its curl command. */
export interface SampleRequest {
  readonly method: string;
  /** URL of the request, with its query. */
  readonly url: string;
  readonly needsKey: boolean;
  /** JSON text, or one JSON text per line. Absent for a request without a body. */
  readonly body?: string | undefined;
  /** Media type of the body. Absent: JSON. */
  readonly mediaType?: string | undefined;
  readonly hasAnswer: boolean;
}

export interface Sample {
  readonly language: string;
  readonly highlight: string;
  readonly code: string;
}

/** Server URL in the samples. The page replaces it with its own server. */
export const localServer = 'http://127.0.0.1:8080';

/** Field in which samples send the current time, because the service rejects old readings. */
const presentName = 'timestamp';
const presentValue = new RegExp(`("${presentName}": ?)"[^"]*"`, 'g');

/** One JSON text per line. */
export const ndjson = 'application/x-ndjson';

/** Returns the same request in each language. Python requires httpx, the others only their standard library. */
export function createSamples(request: SampleRequest): Sample[] {
  return [
    { language: 'curl', highlight: 'bash', code: curl(request) },
    { language: 'TypeScript', highlight: 'typescript', code: typescript(request) },
    { language: 'Python', highlight: 'python', code: python(request) },
    { language: 'Go', highlight: 'go', code: go(request) },
    { language: 'PHP', highlight: 'php', code: php(request) },
  ];
}

export function curl({ method, url, needsKey, body, mediaType = 'application/json' }: SampleRequest): string {
  const parts = [
    `curl -s ${method === 'GET' || body !== undefined ? '' : `-X ${method} `}"${url}"`,
    needsKey && '-H "X-Service-Key: $SERVICE_KEY"',
    body !== undefined && `-H 'Content-Type: ${mediaType}'`,
  ];
  const line = parts.filter(Boolean).join(' \\\n  ');
  // With -d, curl would remove the line breaks.
  const option = mediaType === ndjson ? '--data-binary' : '-d';
  return body === undefined ? line : `${line} \\\n  ${option} @- <<JSON\n${shellText(body)}\nJSON`;
}

/** Escapes text for a here-document, in which the shell expands variables and commands. */
function shellText(body: string): string {
  return body.replace(/[\\$`]/g, '\\$&').replace(presentValue, '$1"$(date -u +%Y-%m-%dT%H:%M:%SZ)"');
}

function typescript({ method, url, needsKey, body, mediaType, hasAnswer }: SampleRequest): string {
  const headers = [
    needsKey && "'X-Service-Key': process.env.SERVICE_KEY!",
    body !== undefined && `'Content-Type': '${mediaType ?? 'application/json'}'`,
  ].filter(Boolean);
  const options = [
    method !== 'GET' && `  method: '${method}',`,
    headers.length > 0 && `  headers: { ${headers.join(', ')} },`,
    body !== undefined && `  body: ${scriptBody(body, mediaType)},`,
  ].filter(Boolean);
  const call = options.length === 0 ? `fetch('${url}')` : `fetch('${url}', {\n${options.join('\n')}\n})`;
  const last = hasAnswer ? 'console.log(await response.json());' : 'console.log(response.status);';
  return `const response = await ${call};\n${last}`;
}

function scriptBody(body: string, mediaType: string | undefined): string {
  if (mediaType !== ndjson) return `JSON.stringify(${literal(JSON.parse(body), script)})`;
  return `${literal(listLines(body), script)}.map((it) => JSON.stringify(it)).join('\\n')`;
}

function listLines(body: string): unknown[] {
  return body.split('\n').map((line) => JSON.parse(line));
}

/** Returns Python code. It does not use `raise_for_status`, which would hide the body with the error. */
function python({ method, url, needsKey, body, mediaType, hasAnswer }: SampleRequest): string {
  const isLines = body !== undefined && mediaType === ndjson;
  const imports = [
    isLines && 'import json\n',
    needsKey && 'import os\n',
    body !== undefined && body.includes(`"${presentName}"`) && 'from datetime import datetime, timezone\n',
    (needsKey || body !== undefined) && '\n',
    'import httpx\n',
  ].filter(Boolean);
  const options = [
    `"${url}"`,
    needsKey && `headers={"X-Service-Key": os.environ["SERVICE_KEY"]${isLines ? `, "Content-Type": "${ndjson}"` : ''}}`,
    isLines && `content="\\n".join(json.dumps(it) for it in ${literal(listLines(body), pythonic)})`,
    body !== undefined && !isLines && `json=${literal(JSON.parse(body), pythonic)}`,
  ].filter(Boolean);
  const list = options.length === 1 ? options[0] : `\n${options.map((it) => `    ${it},\n`).join('')}`;
  const call = `httpx.${method.toLowerCase()}(${list})`;
  const check = 'if response.is_error:\n    raise SystemExit(f"{response.status_code} {response.text}")';
  return `${imports.join('')}\nresponse = ${call}\n${check}\nprint(${hasAnswer ? 'response.json()' : 'response.status_code'})`;
}

/** Returns a Go program. The body is a raw string, which is interrupted where the current time stands. */
function go({ method, url, needsKey, body, mediaType = 'application/json' }: SampleRequest): string {
  const text = body
    ?.replaceAll('`', '` + "`" + `')
    .replace(presentValue, '$1"` + time.Now().UTC().Format(time.RFC3339) + `"');
  const hasTime = text !== undefined && text !== body;
  const names = ['fmt', 'io', 'net/http', needsKey && 'os', body !== undefined && 'strings', hasTime && 'time'];
  const lines = [
    `request, _ := http.NewRequest("${method}", "${url}", ${text === undefined ? 'nil' : `strings.NewReader(\`${text}\`)`})`,
    needsKey && 'request.Header.Set("X-Service-Key", os.Getenv("SERVICE_KEY"))',
    body !== undefined && `request.Header.Set("Content-Type", "${mediaType}")`,
    'response, err := http.DefaultClient.Do(request)',
    'if err != nil {\n\t\tpanic(err)\n\t}',
    'defer response.Body.Close()',
    'answer, _ := io.ReadAll(response.Body)',
    'fmt.Println(response.Status, string(answer))',
  ];
  const imports = names.filter(Boolean).map((name) => `\t"${name}"\n`);
  const statements = lines.filter(Boolean).map((line) => `\t${line}\n`);
  return `package main\n\nimport (\n${imports.join('')})\n\nfunc main() {\n${statements.join('')}}`;
}

function php({ method, url, needsKey, body, mediaType = 'application/json' }: SampleRequest): string {
  const text = body?.replace(/[\\$]/g, '\\$&').replace(presentValue, '$1"$now"');
  const headers = [
    needsKey && "'X-Service-Key: ' . getenv('SERVICE_KEY')",
    body !== undefined && `'Content-Type: ${mediaType}'`,
  ];
  const options = [
    `'method' => '${method}'`,
    `'header' => [${headers.filter(Boolean).join(', ')}]`,
    body !== undefined && "'content' => $body",
    "'ignore_errors' => true",
  ];
  const lines = [
    text?.includes('"$now"') && "$now = gmdate('Y-m-d\\TH:i:s\\Z');",
    text !== undefined && `$body = <<<JSON\n${text}\nJSON;`,
    `$options = [\n${options
      .filter(Boolean)
      .map((it) => `    ${it},\n`)
      .join('')}];`,
    `echo file_get_contents('${url}', false, stream_context_create(['http' => $options]));`,
  ];
  return `<?php\n${lines.filter(Boolean).join('\n')}`;
}

/** Syntax of literals in a language. */
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

/** Returns a value as an expression, one field per line. */
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
