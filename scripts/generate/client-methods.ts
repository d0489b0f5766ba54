/** Reads the methods of the clients from the operations of the contract, and writes them in TypeScript. */
import { wrap } from './python-types.js';

export interface ApiSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly items?: ApiSchema;
  readonly properties?: Readonly<Record<string, ApiSchema>>;
}
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: ApiSchema;
}
interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: ApiSchema }>>;
}
export interface ApiOperation {
  readonly operationId: string;
  readonly description?: string;
  readonly parameters?: ReadonlyArray<Parameter | { readonly $ref: string }>;
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
  readonly security?: readonly object[];
  readonly callbacks?: Readonly<Record<string, Api['paths']>>;
  readonly 'x-scope'?: string;
  readonly 'x-resend-safe'?: boolean;
}
export interface Api {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, ApiSchema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}
export interface Method {
  readonly operationId: string;
  readonly name: string;
  /** Property of the client that has the method, e.g. `webhooks`. Empty: the client itself. */
  readonly group: string;
  readonly verb: string;
  readonly path: string;
  readonly docs: string;
  readonly inPath: readonly string[];
  readonly required: readonly Parameter[];
  /** Optional parameters of the query, without `cursor`. */
  readonly optional: readonly Parameter[];
  readonly body: string | undefined;
  /** Type of the response. Undefined: it has no body. */
  readonly result: string | undefined;
  /** The field with the items of a list, and their type. */
  readonly list: { readonly field: string; readonly item: string } | undefined;
  readonly isPaged: boolean;
  readonly hasKey: boolean;
  readonly isForTokens: boolean;
  readonly isResendSafe: boolean;
}

/** Operations whose methods are written by hand: texts that are cut, batches, a person or session, streams. The last two are probes. */
const byHand = [
  ...['ingest', 'ingestBatch', 'getState', 'getHistory', 'streamEvents', 'exportReadings'],
  ...['getHealth', 'getReadiness'],
];
const groups = { tokens: '/v1/tokens', webhooks: '/webhooks' };
/** Names that the rules of `nameOf` do not give. */
const names: Readonly<Record<string, string>> = { getSubjectSummary: 'summary', retryDeliveries: 'retry' };
const renamed: Readonly<Record<string, string>> = { SignalSubmission: 'Submission' };

export function targetOf({ $ref = '' }: ApiSchema): string {
  const name = $ref.split('/').at(-1) ?? '';
  return renamed[name] ?? name;
}

/** Returns the names of the schemas that are types of the clients: objects and enumerations. */
export function namedSchemas({ components: { schemas } }: Api): string[] {
  return Object.keys(schemas).filter(
    (name) => schemas[name]?.properties ?? schemas[name]?.enum ?? isMap(schemas[name]),
  );
}

/** Returns the type of the body of each event that webhooks get, joined as in both languages. */
export function writeEventType(api: Api): string {
  const operations = Object.values(api.paths).flatMap((item) => Object.values(item));
  const callbacks = operations.flatMap((it) => Object.values(it.callbacks ?? {}));
  const events = callbacks.flatMap((it) => Object.values(it)).flatMap((item) => Object.values(item));
  return events.map((it) => typeIn(api, it.requestBody)).join(' | ');
}

const isOfSource = (security: readonly object[]) => security.some((it) => 'SourceKeyInHeader' in it);

/** Returns the generated methods in the order of the contract. Throws if two have one name. */
export function methodsOf(api: Api): Method[] {
  const methods = Object.entries(api.paths).flatMap(([path, item]) =>
    Object.entries(item)
      // A source key is for apps that have no client.
      .filter(([, { operationId, security = [] }]) => !byHand.includes(operationId) && !isOfSource(security))
      .map(([verb, operation]) => methodOf(api, path, verb.toUpperCase(), operation)),
  );
  const calls = methods.map(({ group, name }) => `${group}.${name}`);
  const twice = calls.find((call, index) => calls.indexOf(call) !== index);
  if (twice) throw new Error(`client-methods.ts: two operations have the method ${twice}`);
  return methods;
}

function methodOf(api: Api, path: string, verb: string, operation: ApiOperation): Method {
  const { operationId, requestBody, responses, security } = operation;
  const parameters = (operation.parameters ?? []).map(
    (it) => ('$ref' in it ? api.components.parameters[targetOf(it)] : it) as Parameter,
  );
  const query = parameters.filter((it) => it.in === 'query' && it.name !== 'cursor');
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  const result = typeIn(api, success);
  const fields = api.components.schemas[result ?? '']?.properties ?? {};
  const [field, schema] = Object.entries(fields).find(([, { items }]) => items?.$ref) ?? [];
  const isPaged = 'next_cursor' in fields;
  const group = Object.entries(groups).find(([, prefix]) => path.startsWith(prefix))?.[0] ?? '';
  return {
    ...{ operationId, group, verb, path, result, isPaged, name: nameOf(operationId, group) },
    docs: docsOf(operation),
    inPath: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
    required: query.filter((it) => it.required),
    optional: query.filter((it) => !it.required),
    body: requestBody && typeIn(api, requestBody),
    // A list with further fields is returned as it is.
    list:
      field && (isPaged || (operationId.startsWith('list') && Object.keys(fields).length === 1))
        ? { field, item: targetOf(schema?.items ?? {}) }
        : undefined,
    hasKey: parameters.some(({ name }) => name === 'Idempotency-Key'),
    isForTokens: security?.some((it) => 'BearerToken' in it) ?? false,
    isResendSafe: ['GET', 'PUT'].includes(verb) || operation['x-resend-safe'] === true,
  };
}

/**
 * Returns the type of a JSON body, or `object` if its schema has no name. Throws for a body without JSON, because `byHand`
 * must list its operation.
 */
function typeIn(api: Api, { content }: Content = {}): string | undefined {
  const schema = content?.['application/json']?.schema;
  if (content && !schema) throw new Error('client-methods.ts: a body has no JSON, so add its operation to `byHand`');
  return schema && (namedSchemas(api).some((name) => schema.$ref?.endsWith(`/${name}`)) ? targetOf(schema) : 'object');
}

/** Returns e.g. `sessions` of `listSessions`, and `rotateSecret` of `rotateWebhookSecret` in the group `webhooks`. */
function nameOf(operationId: string, group: string): string {
  const ofGroup = group && operationId.replace(new RegExp(`${capitalized(singular(group))}s?(?=[A-Z]|$)`), '');
  const name = (ofGroup || operationId).replace(/^(?:get|list)(?=[A-Z])/, '');
  return names[operationId] ?? `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
}

/** Returns the first paragraph of the description without the sentence on pages, and the scope that a token requires. */
function docsOf({ description = '', security = [], 'x-scope': scope }: ApiOperation): string {
  const text = (description.split('\n\n')[0] ?? '').replaceAll(/\s+/g, ' ').trim();
  const ofToken = security.length > 1 ? ` Requires the scope \`${scope}\`.` : '';
  return text.replace(/ ?Continue with `next_cursor` until it is null\./, '') + ofToken;
}

/** Returns the types of the clients: one per schema, and one per list with a filter. */
export function writeTypes(api: Api): string {
  const schemas = namedSchemas(api).map((name) => `export type ${renamed[name] ?? name} = Schemas['${name}'];`);
  const filters = methodsOf(api)
    .filter(({ optional }) => optional.length > 0)
    .map((it) => {
      const query = `NonNullable<operations['${it.operationId}']['parameters']['query']>`;
      const positional = it.required.map(({ name }) => `'${name}'`).join(' | ');
      return `export type ${filterOf(it)} = ${positional ? `Omit<${query}, ${positional}>` : query};`;
    });
  const head = `import type { components, operations } from '../../../../generated/api.js';\n\ntype Schemas = components['schemas'];\n`;
  const event = `/** The body of an event of a webhook. \`event\` is its kind. */\nexport type WebhookEvent = ${writeEventType(api)};`;
  return [head, ...schemas, event, ...filters, ''].join('\n');
}

/** Returns the pattern of the paths whose POST may be resent when its response is lost. */
export function writeResendable({ paths }: Api): string {
  const safe = Object.keys(paths).filter((path) => paths[path]?.['post']?.['x-resend-safe']);
  const patterns = safe.map((path) => path.replaceAll('/', '\\/').replaceAll(/\{\w+\}/g, '[^/]+'));
  return `/** Paths whose POST may be resent when its response is lost. */\nexport const resendable = /(?:${patterns.join('|')})$/;\n`;
}

/** Returns the interfaces of the methods, and the function that creates them. */
export function writeMethods(api: Api): string {
  const all = methodsOf(api);
  const grouped = (group: string) => all.filter((it) => it.group === group);
  const ofAccount = grouped('').filter((it) => !it.isForTokens);
  const ofSession = grouped('').filter((it) => it.isForTokens);
  const code = [
    writeInterface('SessionMethods', ofSession),
    writeInterface('AccountMethods', ofAccount),
    ...Object.keys(groups).map((group) => writeInterface(`${capitalized(singular(group))}Client`, grouped(group))),
    'export function createMethods({ api, on }: Transport) {\n  return {',
    ...[...ofSession, ...ofAccount].map(writeMethod),
    ...Object.keys(groups).map((group) => `    ${group}: {\n${grouped(group).map(writeMethod).join('\n')}\n    },`),
    `  } satisfies SessionMethods & AccountMethods & { tokens: TokenClient; webhooks: WebhookClient };\n}\n`,
  ].join('\n');
  const types = [...writeTypes(api).matchAll(/^export type (\w+)/gm)].map(([, name = '']) => name);
  const used = types.filter((name) => new RegExp(`\\b${name}\\b`).test(code.replaceAll(/\/\*\*.*?\*\//gs, ''))).sort();
  return [
    `import type { CallOptions, IdempotentCallOptions } from '../options.js';`,
    `import { at, type Pages, pagesOf } from '../pages.js';`,
    `import { read, succeed, type Transport, withKey } from '../transport.js';`,
    `import type {\n${used.map((name) => `  ${name},\n`).join('')}} from './types.js';\n\n${code}`,
  ].join('\n');
}

function writeInterface(name: string, methods: readonly Method[]): string {
  const docsOf = ({ docs }: Method) => wrap(docs, 115).map((line) => `   * ${line}\n`);
  const lines = methods.map(
    (it) => `  /**\n${docsOf(it).join('')}   */\n  ${it.name}(${parametersOf(it)}): ${resultOf(it)};`,
  );
  return `export interface ${name} {\n${lines.join('\n')}\n}\n`;
}

function parametersOf(method: Method): string {
  const { inPath, required, body, optional, hasKey } = method;
  return [
    ...[...inPath.map((name) => `${name}: string`), ...required.map((it) => `${it.name}: ${scalarOf(it.schema)}`)],
    ...[
      ...(body ? [`body: ${body === 'object' ? 'Record<string, unknown>' : body}`] : []),
      ...(optional.length > 0 ? [`filter?: ${filterOf(method)}`] : []),
    ],
    `call?: ${hasKey ? 'IdempotentCallOptions' : 'CallOptions'}`,
  ].join(', ');
}

function resultOf({ result = 'void', list, isPaged }: Method): string {
  if (isPaged) return `Pages<${result}, ${list?.item}>`;
  return `Promise<${list ? `${list.item}[]` : result}>`;
}

function writeMethod(method: Method): string {
  const { name, verb, path, inPath, required, body, optional, isPaged, list, result, hasKey } = method;
  const filter = optional.length > 0 ? 'filter' : '{}';
  const query = [
    ...required.map((it) => it.name),
    ...(isPaged || optional.length > 0 ? [`...at(${isPaged ? 'cursor' : 'undefined'}, ${filter})`] : []),
  ];
  const params = [
    ...(inPath.length > 0 ? [`path: { ${inPath.join(', ')} }`] : []),
    ...(query.length > 0 ? [`query: { ${query.join(', ')} }`] : []),
  ];
  const options = [
    `...on(${hasKey ? 'withKey(call)' : 'call'})`,
    ...(params.length > 0 ? [`params: { ${params.join(', ')} }`] : []),
    ...(body ? ['body'] : []),
  ];
  const request = `${result ? 'read' : 'succeed'}(await api.${verb}('${path}', { ${options.join(', ')} }))`;
  const head = `      ${name}: ${isPaged ? '' : 'async '}(${parametersOf(method)})`;
  if (isPaged)
    return `${head} =>\n        pagesOf(async (cursor?: string) => ${request}, (page) => page.${list?.field}),`;
  return `${head} =>\n        ${request}${list ? `.${list.field}` : ''},`;
}

/** Returns the name of the filter type of a method, e.g. `SessionFilter` for `sessions`. */
function filterOf({ name }: Method): string {
  return `${capitalized(singular(name))}Filter`;
}

function scalarOf({ type }: ApiSchema): string {
  return type === 'integer' || type === 'number' ? 'number' : 'string';
}

export function singular(plural: string): string {
  return plural.replace(/ies$/, 'y').replace(/s$/, '');
}

function capitalized(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

function isMap(schema: ApiSchema | undefined): boolean {
  return schema?.type === 'object';
}
