/** Writes the methods of the asynchronous Python client from the operations of the contract. */
import {
  type Api,
  type ApiSchema,
  type Method,
  methodsOf,
  namedSchemas,
  singular,
  targetOf,
} from './client-methods.js';
import { wrap } from './python-types.js';

const groups = {
  AsyncAccountMethods: ['', 'Methods that follow from the operations of the contract.'],
  AsyncTokenClient: ['tokens', 'Session tokens.'],
  AsyncWebhookClient: [
    'webhooks',
    'Webhooks and their deliveries. An `idempotency_key` makes it safe to resend a call within 24 hours. Use a new key per call. Default: a new UUID.',
  ],
} as const;
/** Names of bodies in the methods that were written by hand. Any other name is the last word of the type, e.g. `request`. */
const bodies: Readonly<Record<string, string>> = { submitFeedback: 'report', retryDeliveries: 'deliveries' };
const primitives: Readonly<Record<string, string>> = { integer: 'int', number: 'float', boolean: 'bool' };
const imports = [
  'from collections.abc import Sequence',
  'from typing import Unpack\n',
  'from .._async_sender import AsyncPages, AsyncSender',
  'from .._operations import Listing, Operation, get, in_path, list_pages, with_key',
  'from .._options import CallOptions',
];

export function pythonMethods(api: Api): string {
  const typeOf = (schema: ApiSchema): string => {
    const name = targetOf(schema);
    if (namedSchemas(api).includes(name)) return name;
    const { type = '', items } = api.components.schemas[name] ?? schema;
    return items ? `Sequence[${typeOf(items)}]` : (primitives[type] ?? 'str');
  };
  const classes = Object.entries(groups).map(([name, [group, docs]]) => {
    const methods = methodsOf(api).filter((it) => it.group === group);
    const init = '    def __init__(self, sender: AsyncSender) -> None:\n        self._sender = sender\n';
    return `class ${name}:\n${docstring(docs, '    ')}\n${init}\n${methods.map((it) => writeMethod(it, typeOf)).join('\n')}`;
  });
  const code = classes.join('\n\n');
  const types = ['Submission', ...namedSchemas(api)].filter((name) =>
    new RegExp(`\\b${name}\\b`).test(withoutDocs(code)),
  );
  return `${imports.join('\n')}\nfrom ..schemas import (\n${types.map((name) => `    ${name},\n`).join('')})\n\n\n${code}`;
}

function writeMethod(method: Method, typeOf: (schema: ApiSchema) => string): string {
  const { name, required, optional, result = 'None', list, isPaged, hasKey, docs } = method;
  const named = [
    ...optional.map((it) => `${variableOf(it.name)}: ${typeOf(it.schema)} | None = None`),
    ...[...(isPaged ? ['cursor: str | None = None'] : []), ...(hasKey ? ['idempotency_key: str | None = None'] : [])],
  ];
  const parameters = [
    ...['self', ...method.inPath.map((it) => `${pathVariable(method.path, it)}: str`)],
    ...required.map((it) => `${variableOf(it.name)}: ${typeOf(it.schema)}`),
    ...(method.body ? [`${bodyOf(method)}: ${method.body}`] : []),
    ...[...(named.length > 0 ? ['*', ...named] : []), '**call: Unpack[CallOptions]'],
  ];
  const returned = isPaged ? `AsyncPages[${result}, ${list?.item}]` : list ? `Sequence[${list.item}]` : result;
  const head = `    ${isPaged ? '' : 'async '}def ${snake(name)}(\n        ${parameters.join(',\n        ')},\n    ) -> ${returned}:`;
  return `${head}\n${docstring(docs, '        ')}${writeBody(method)}`;
}

function writeBody(method: Method): string {
  const { verb, path, required, optional, body, result = 'None', list, isPaged, hasKey, isResendSafe } = method;
  const queried = [...required, ...optional].map(({ name, schema }) => {
    const variable = variableOf(name);
    return `"${name}": ${schema.type === 'array' ? `",".join(${variable}) if ${variable} is not None else None` : variable}`;
  });
  const query = `{${[...queried, ...(isPaged ? ['"cursor": cursor'] : [])].join(', ')}}`;
  const inPath = (_: string, name: string) => `{in_path(${pathVariable(path, name)})}`;
  const to = `${path.includes('{') ? 'f' : ''}"${path.replaceAll(/\{(\w+)\}/g, inPath)}"`;
  const fields = (it: string) => `lambda page: page["${it}"]`;
  const lines = isPaged
    ? [
        `listing: Listing[${result}, ${list?.item}] = list_pages(`,
        `    ${to}, ${query}, ${fields(list?.field ?? '')}, ${fields('next_cursor')}\n        )`,
        'return AsyncPages(listing, lambda page: self._sender.send(page, call))',
      ]
    : [
        `operation: Operation[${result}] = ${
          verb === 'GET'
            ? `get(${to}, ${query})`
            : hasKey
              ? `with_key(${to}, idempotency_key${body ? `, ${bodyOf(method)}` : ''})`
              : `Operation("${verb}", ${to}, ${query}${body ? `, ${bodyOf(method)}` : ''}, is_repeatable=${isResendSafe ? 'True' : 'False'})`
        }`,
        ...(list
          ? ['answer = await self._sender.send(operation, call)', `return answer["${list.field}"]`]
          : [`${result === 'None' ? '' : 'return '}await self._sender.send(operation, call)`]),
      ];
  return lines.map((line) => `        ${line}\n`).join('');
}

/** Returns the first sentence, and the others as a paragraph. */
function docstring(text: string, indent: string): string {
  const [first = '', ...others] = text.split(/(?<=\.) (?=[A-Z`])/);
  const lines = (it: string) => wrap(it, 119 - indent.length).map((line) => `${indent}${line}\n`);
  const [opening = '', ...rest] = lines(`"""${first}${others.length > 0 ? '' : '"""'}`);
  const end = others.length > 0 ? ['\n', ...lines(others.join(' ')), `${indent}"""\n`] : [];
  return [opening, ...rest, ...end].join('');
}

function withoutDocs(code: string): string {
  return code.replaceAll(/"""[^"]*"""/g, '');
}

/** Returns e.g. `webhook_id` of `/webhooks/{id}`. */
function pathVariable(path: string, name: string): string {
  const [, before = ''] = /([^/]+)\/\{id\}/.exec(path) ?? [];
  return name === 'id' ? `${singular(before).replaceAll('-', '_')}_id` : name;
}

function bodyOf({ operationId, body = '' }: Method): string {
  return bodies[operationId] ?? (/[A-Z][a-z]+$/.exec(body)?.[0] ?? 'body').toLowerCase();
}

function variableOf(name: string): string {
  return name === 'from' ? 'from_' : name;
}

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
