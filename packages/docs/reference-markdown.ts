import { type Answer, contract, readName, type Operation, operations, type Parameter, resolve } from './contract.js';
import { type Field, listFields, describeType } from './fields.js';
import { reference } from './pages.js';
import { sampleRequest } from './sample-request.js';
import { curl } from './samples.js';

/** Returns the reference as Markdown, for language models and for readers without a browser. */
export function referenceMarkdown(): string {
  const tags = contract.tags.map(({ name, description }) => {
    const members = operations.filter(({ tag }) => tag === name);
    return [`## ${name}`, description.trim(), ...members.map(operationText)].join('\n\n');
  });
  return `${[`# ${reference.title}`, contract.info.description.trim(), ...tags].join('\n\n')}\n`;
}

function operationText(operation: Operation): string {
  const { summary, method, path, description, parameters, request, answers } = operation;
  const isEvent = path === undefined;
  const parts = [
    `### ${summary}`,
    isEvent ? 'Sent to the URL of the webhook.' : `\`${method} ${path}\``,
    description.trim(),
    ...(parameters.length > 0 ? ['**Parameters**', parameters.map(parameterLine).join('\n')] : []),
    ...(request ? [`**Body:** ${readName(request.schema) ?? 'object'}`, fieldLines(listFields(request.schema))] : []),
    ...(isEvent ? [] : [fence('sh', curl(sampleRequest(operation)))]),
    '**Responses**',
    answers.map(answerLine).join('\n'),
    ...answers.flatMap(answerBody),
  ];
  return parts.join('\n\n');
}

function parameterLine({ name, in: place, required = false, description, schema }: Parameter): string {
  return `- \`${name}\` (${place}, ${required ? 'required' : 'optional'}, ${describeType(schema)}): ${line(description)}`;
}

function answerLine({ status, description, body }: Answer): string {
  const codes = (body?.examples ?? []).map(({ value }) => (value as { code?: string } | undefined)?.code);
  const named = [...new Set(codes.filter((it) => it !== undefined))].map((it) => `\`${it}\``).join(', ');
  return `- ${status}: ${line(description)}${named && ` (${named})`}`;
}

/** Returns the body of a success response. All errors have the same body, which the guide on errors describes. */
function answerBody({ status, body }: Answer): string[] {
  if (!status.startsWith('2') || !body) return [];
  const [example] = body.examples;
  const fields = fieldLines(listFields(body.schema));
  const json = example ? [fence('json', JSON.stringify(example.value, null, 2))] : [];
  return [`**Body of ${status}:** ${readName(body.schema) ?? 'object'}`, ...(fields ? [fields] : []), ...json];
}

function fieldLines(fields: readonly Field[], depth = 0): string {
  return fields.flatMap((field) => [fieldLine(field, depth), ...innerLines(field, depth + 1)]).join('\n');
}

function fieldLine({ name, schema, isRequired, description }: Field, depth: number): string {
  const { description: own = '', enum: values = [] } = resolve(schema);
  const allowed = values.length > 0 ? ` One of ${values.map((it) => `\`${it}\``).join(', ')}.` : '';
  const text = line(description ?? own) + allowed;
  return `${'  '.repeat(depth)}- \`${name}\` (${isRequired ? 'required' : 'optional'}, ${describeType(schema)}): ${text}`;
}

/** Returns the fields of an object, or of the objects in a list or map. */
function innerLines({ schema }: Field, depth: number): string[] {
  const { items, additionalProperties, ...own } = resolve(schema);
  const map = typeof additionalProperties === 'object' ? additionalProperties : undefined;
  const fields = listFields(items ?? map ?? own);
  return fields.length === 0 ? [] : [fieldLines(fields, depth)];
}

function line(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}

function fence(language: string, code: string): string {
  return `\`\`\`${language}\n${code}\n\`\`\``;
}
