import { Ajv } from 'ajv';
import addFormatsModule from 'ajv-formats';
import { readFile } from 'node:fs/promises';
import { parse, parseDocument, visit } from 'yaml';
import contract from '../../generated/openapi.json' with { type: 'json' };
import { oauth } from '../../generated/spec.js';
import { closed } from '../../testkit/closed.js';
import { client } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

// The package is CommonJS and types its default export one level too high.
const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default;

type Part = Readonly<Record<string, unknown>>;
interface Schema extends Part {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly example?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'patch', 'trace'];
const ajv = new Ajv({ strict: false, allErrors: true });
addFormats(ajv);
ajv.addSchema(closed(contract), 'contract');

/** Yields every part of the document with its JSON Pointer. */
function* partsOf(value: unknown, at = ''): Generator<readonly [at: string, part: Part]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [at, value as Part];
  for (const [name, inner] of Object.entries(value))
    yield* partsOf(inner, `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
}

const parts = [...partsOf(contract)].filter(([at]) => !at.startsWith('/x-') && !/\/(example|value)(\/|$)/.test(at));
const placed = (pattern: RegExp) => parts.filter(([at]) => pattern.test(at)) as Array<readonly [string, Schema]>;
const follow = (part: Schema): Schema =>
  part.$ref === undefined ? part : follow(parts.find(([at]) => `#${at}` === part.$ref)?.[1] as Schema);

/** Returns the documented example. If there is none, composes an example from the examples of its parts. */
function exampleOf(part: Schema): unknown {
  const schema = follow(part);
  if ('example' in schema) return schema.example;
  if (schema.items) return [exampleOf(schema.items)];
  if (!schema.properties) return undefined;
  const fields = Object.entries(schema.properties).filter(([name]) => !(exclusive(schema) ?? []).includes(name));
  return Object.fromEntries(fields.map(([name, it]) => [name, exampleOf(it)]));
}

/** Returns the fields that an example omits. Of mutually exclusive fields, an example contains only the first one. */
function exclusive(schema: Schema): string[] | undefined {
  return (schema['x-one-of-fields'] as string[] | undefined)?.slice(1);
}

function faultsOf(at: string, example: unknown): string {
  const validate = ajv.compile({ $ref: `contract#${encodeURI(at)}` });
  return validate(example) ? '' : `${at}: ${ajv.errorsText(validate.errors)}`;
}

test('every schema, field, parameter, header, response, operation and example has a description', () => {
  const patterns = [
    /^\/components\/schemas\/[^/]+$/,
    /^\/components\/schemas\/.*\/properties\/[^/]+$/,
    /^\/components\/(parameters|headers|responses|links|securitySchemes)\/[^/]+$/,
    /\/responses\/[^/]+$/,
    /\/(requestBody|items)$/,
    /^\/(tags|servers)\/\d+$/,
  ];
  const silent = patterns.flatMap(placed).filter(([, part]) => !follow(part).description);
  expect(silent.map(([at]) => at)).toEqual([]);
  const operations = parts.filter(([, part]) => 'operationId' in part && 'responses' in part);
  expect(operations.filter(([, it]) => !it['summary'] || !it['description'] || !it['tags']).map(([at]) => at)).toEqual(
    [],
  );
  const examples = placed(/\/examples\/[^/]+$/).filter(([, part]) => !follow(part)['summary']);
  expect(examples.map(([at]) => at)).toEqual([]);
});

test('the contract has no YAML alias, so that parsers with a limit of aliases read it', async () => {
  const text = await readFile(new URL('../../openapi.yaml', import.meta.url), 'utf8');
  expect(parse(text, { maxAliasCount: 50 })).toEqual(contract);
  const aliases: string[] = [];
  visit(parseDocument(text), { Alias: (_, { source }) => void aliases.push(source) });
  expect(aliases).toEqual([]);
});

test('an exported reading has the fields of a sent one, with the session of its device', () => {
  const { SignalSubmission, ExportedSubmission } = contract.components.schemas;
  const { device_id: _, ...stored } = SignalSubmission.properties;
  expect(ExportedSubmission.properties).toEqual(stored);
});

test('every schema and field has a valid example', () => {
  const schemas = [...placed(/^\/components\/schemas\/[^/]+$/), ...placed(/\/schemas\/.*\/properties\/[^/]+$/)];
  expect(schemas.length).toBeGreaterThan(100);
  expect(schemas.map(([at, schema]) => faultsOf(at, exampleOf(schema))).filter(Boolean)).toEqual([]);
});

test('every parameter and header has a valid example', () => {
  const found = placed(/^\/components\/(parameters|headers)\/[^/]+$/);
  const faults = found.map(([at, it]) => faultsOf(`${at}/schema`, it.example ?? exampleOf(it['schema'] as Schema)));
  expect(faults.filter(Boolean)).toEqual([]);
});

test('every request and response body has valid examples', () => {
  const bodies = placed(/\/content\/[^/]+$/);
  const faults = bodies.flatMap(([at, { examples = {} }]) => {
    const values = Object.values(examples as Record<string, Schema>).map((it) => follow(it)['value']);
    return values.length === 0 ? [`${at}: no example`] : values.map((value) => faultsOf(`${at}/schema`, value));
  });
  expect(bodies.length).toBeGreaterThan(30);
  expect(faults.filter(Boolean)).toEqual([]);
});

/** Returns the names that are equal for generators, which change case and remove punctuation. */
function clashesOf(names: readonly string[]): string[] {
  const folded = names.map((it) => it.toLowerCase().replace(/[^a-z0-9]/g, ''));
  return names.filter((_, index) => folded.indexOf(folded[index] ?? '') !== folded.lastIndexOf(folded[index] ?? ''));
}

test('no two components have names that generators turn into one', () => {
  const components = placed(/^\/components\/[^/]+\/[^/]+$/).map(([at]) => at.split('/').at(-1) ?? '');
  expect(components.length).toBeGreaterThan(100);
  expect(clashesOf(components)).toEqual([]);
});

test('no two parameters of an operation have names that generators turn into one', () => {
  const operations = placed(/^\/paths\/[^/]+\/[^/]+$/) as unknown as Array<[string, { parameters?: Schema[] }]>;
  for (const [at, { parameters = [] }] of operations) {
    const names = parameters.map((it) => String(follow(it)['name']));
    expect([at, clashesOf(names)]).toEqual([at, []]);
  }
});

test('the documented size and media types of each body are those that the service accepts', () => {
  const types = ['application/json', 'application/x-ndjson'];
  for (const [at, body] of placed(/^\/paths\/[^/]+\/[^/]+\/requestBody$/)) {
    const { responses } = placed(/^/).find(([it]) => `${it}/requestBody` === at)?.[1] as Part;
    const describe = (status: string) => follow((responses as Record<string, Schema>)[status] as Schema).description;
    const accepted = Object.keys(body['content'] as object);
    expect(accepted[0]).toBe('application/json');
    expect(types.filter((it) => describe('415')?.includes(`\`${it}\``))).toEqual(accepted);
    const ofSource = at.includes('~1v1~1sources~1');
    const { max_bytes } = contract[accepted.length > 1 ? 'x-batch' : ofSource ? 'x-sources' : 'x-body'];
    expect(describe('413')).toContain(`${max_bytes.toLocaleString('en')} bytes`);
  }
});

// This test applies rules to requests that .spectral.yaml disables, because they must not apply to responses.
test('every text, list, number and object in requests is bounded', () => {
  const bodies = placed(/^\/paths\/[^/]+\/[^/]+\/requestBody\/content\/[^/]+\/schema$/);
  const parameters = placed(/^\/components\/parameters\/[^/]+$/)
    .filter(([, it]) => it['in'] !== 'header')
    .map(([at, it]) => [`${at}/schema`, it['schema'] as Schema] as const);
  expect(bodies.length).toBe(14);
  expect([...bodies, ...parameters].flatMap(([at, schema]) => openEnds(at, schema))).toEqual([]);
});

test('every list in a response is bounded', () => {
  const schemas = placed(/\/(responses|callbacks)\/.*\/content\/[^/]+\/schema$/);
  expect(schemas.length).toBeGreaterThan(20);
  const open = schemas.flatMap(([at, schema]) => openEnds(at, schema)).filter((it) => it.endsWith('no maxItems'));
  expect(open).toEqual([]);
});

test('request schemas reject unknown fields, and response schemas accept them', () => {
  const schemas = parts.filter(([at]) => at.startsWith('/components/schemas/')) as Array<readonly [string, Schema]>;
  const closedOnes = schemas.filter(([, it]) => it.additionalProperties === false).map(([at]) => at.split('/').pop());
  const requests = [
    'AlertRuleRequest',
    'ConsentSubmission',
    'DeviceRequest',
    'FactSubmission',
    'FeedbackSubmission',
    'LinkRequest',
    'QuietHours',
    'RetryRequest',
    'SignalSubmission',
    'SourceKeyRequest',
    'TokenRequest',
    'WebhookRegistration',
  ];
  expect(closedOnes.sort()).toEqual(requests);
});

test('no date-time schema has a pattern, which generators would apply to their date type', () => {
  const dates = parts.filter(([, it]) => it['format'] === 'date-time' && 'pattern' in it);
  expect(dates.map(([at]) => at)).toEqual([]);
});

test('bodies with the longest text, and with the maximum number of ids of maximum length, fit into the body limit', () => {
  const { UserMessage, RetryRequest } = contract.components.schemas;
  const { delivery_ids } = RetryRequest.properties;
  const text = 'x'.repeat(UserMessage.maxLength);
  const ids = Array.from({ length: delivery_ids.maxItems }, (_, index) =>
    `${index}`.padEnd(delivery_ids.items.maxLength, 'x'),
  );
  const reading = { session_id: 's', timestamp: '2026-11-21T09:30:00Z', sdnn: 1, user_message: text };
  for (const body of [reading, { delivery_ids: ids }])
    expect(JSON.stringify(body).length).toBeLessThanOrEqual(contract['x-body'].max_bytes);
});

function openEnds(at: string, part: Schema): string[] {
  const schema = follow(part);
  const ends: Record<string, readonly string[]> = {
    string: schema['enum'] ? [] : ['maxLength'],
    array: ['maxItems'],
    object: ['additionalProperties'],
    boolean: [],
  };
  const missing = (ends[schema.type ?? ''] ?? ['minimum', 'maximum']).filter((name) => !(name in schema));
  const inner = Object.entries({ ...schema.properties, ...(schema.items && { items: schema.items }) });
  return [...missing.map((it) => `${at}: no ${it}`), ...inner.flatMap(([name, it]) => openEnds(`${at}/${name}`, it))];
}

/**
 * Paths outside the contract. They serve pages and the contract itself, not operations. The tests in
 * http/documentation.test.ts check their responses.
 */
const documentation = ['/docs', '/openapi.json', '/openapi.yaml'];

test('an operation lists access tokens unless they never have its scope', () => {
  const listed = parts.filter(([, { security }]) =>
    (security as object[] | undefined)?.some((it) => 'OAuthToken' in it),
  );
  const allowed = parts.filter(
    ([, it]) => it['x-scope'] && !oauth.never_scopes.some((never) => never === it['x-scope']),
  );
  expect(listed.map(([at]) => at)).toEqual(allowed.map(([at]) => at));
});

test('the contract contains no path of the documentation', () => {
  expect(documentation.filter((path) => path in contract.paths)).toEqual([]);
});

test('every route is in the contract', async ({ service }) => {
  const { request } = client(service.url, service.key, service.clock);
  const templates = Object.keys(contract.paths);
  const shortened = templates.map((path) => path.replace(/\/[^/]+$/, '') || '/');
  const besides = documentation.flatMap((path) => [`${path}s`, `/v1${path}`]);
  const guessed = ['/metrics', '/admin', '/debug', '/status', '/v1/session', '/v1/keys', '/accounts', '/v2/ingest'];
  // The last part of the path of a post is its key.
  const lengthened = templates.filter((path) => path !== '/v1/sources/{source}').map((path) => `${path}/more`);
  for (const template of new Set([...templates, ...shortened, ...lengthened, ...besides, ...guessed])) {
    const path = template.replace(/\{\w+\}/g, 'none');
    const named = (contract.paths as Record<string, object>)[template] ?? namedBy(path);
    for (const method of methods.filter((it) => it !== 'trace')) {
      const { status, body } = await request(path, { method: method.toUpperCase() });
      const isOffered = named !== undefined && method in named;
      const isAbsent = status === 405 || body?.code === 'path_not_found';
      expect([method, path, isAbsent]).toEqual([method, path, !isOffered]);
    }
  }
});

/** Returns the path item of the contract whose template matches the path. */
function namedBy(path: string): object | undefined {
  const found = Object.entries(contract.paths).find(([template]) =>
    new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
  );
  return found?.[1];
}
