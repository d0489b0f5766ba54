/**
 * Writes generated/ from openapi.yaml: api.ts (types), spec.ts (constants), openapi.json (bundled), and the types,
 * constants and synchronous half of the Python client. With --check, writes nothing and fails if a file is not up to date.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { parse } from 'yaml';
import { digestContract } from '../../src/contract/contract-digest.js';
import { type Api, writeEventType, writeMethods, writeResendable, writeTypes } from './client-methods.js';
import { pythonMethods } from './python-methods.js';
import { writeOwnWords } from './python-own-words.js';
import { toSynchronous } from './python-sync.js';
import { pythonConstants, type PythonSchema, pythonTypes } from './python-types.js';

interface Contract {
  paths: Record<string, Record<string, OperationObject>>;
  components: { schemas: Record<string, Schema>; parameters: Record<string, { schema: { default?: unknown } }> };
  [key: string]: unknown;
}
interface ClientConstants {
  'x-batch': { lines_max: number; max_bytes: number };
  'x-body': { max_bytes: number };
  'x-stream': { heartbeat_seconds: number; retry_ms: [number, number] };
}
interface IntervalSchema {
  maxItems: number;
  items: { minimum: number; maximum: number };
}
interface OperationObject {
  operationId: string;
  security?: object[];
  'x-scope'?: string;
}
interface Schema extends PythonSchema {
  properties?: Record<string, Schema>;
  items?: Schema;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  'x-unit'?: string;
  /** Marks a signal: see openapi.yaml. */
  'x-signal'?: { use: string; category?: string; consent?: string };
}

const root = new URL('../../', import.meta.url);
const banner = '// Generated from openapi.yaml by `npm run generate`. Edit that file instead.\n\n';

const yaml = await readFile(new URL('openapi.yaml', root), 'utf8');
const contract = parse(yaml) as Contract;
const { ProblemCode: problemCode, Fault: fault } = contract.components.schemas;
checkCodes('x-problems', problemCode);
checkCodes('x-problem-help', problemCode);
checkCodes('x-faults', fault?.properties?.['code']);

const python = 'packages/client-python/src/realtime_state_client';
const typescript = 'packages/client/src/generated';
const api = contract as unknown as Api;
const methods = pythonMethods(api);
const files: Record<string, string> = {
  'generated/api.ts': banner + astToString(await openapiTypescript(structuredClone(contract) as never)),
  'generated/spec.ts': `${banner}${constants().join('\n\n')}\n`,
  'packages/score/generated/contract.ts': `${banner}${scoreConstants().join('\n\n')}\n`,
  'packages/client/src/generated/own-words.ts': `// A copy of packages/text/own-words.ts by \`npm run generate\`. Edit that file instead.\n\n${await readFile(new URL('packages/text/own-words.ts', root), 'utf8')}`,
  'generated/openapi.json': `${JSON.stringify(contract, null, 2)}\n`,
  [`${typescript}/types.ts`]: banner + writeTypes(api),
  [`${typescript}/methods.ts`]: banner + writeMethods(api),
  [`${typescript}/resendable.ts`]: banner + writeResendable(api),
  [`${python}/_generated/__init__.py`]: pythonModule('Methods of the contract.', ''),
  [`${python}/_generated/_async_methods.py`]: pythonModule('Asynchronous methods.', methods),
  [`${python}/_generated/_methods.py`]: pythonModule('Synchronous methods.', toSynchronous(methods)),
  [`${python}/schemas.py`]: pythonModule(
    'Wire types with the names of the contract.',
    `${pythonTypes(contract.components.schemas, { SignalSubmission: 'Submission' })}\n\n# The body of an event of a webhook. Its "event" is the kind.\nWebhookEvent = ${writeEventType(api)}\n`,
  ),
  [`${python}/_generated/_own_words.py`]: pythonModule('Own words of a message.', writeOwnWords()).replace(
    'openapi.yaml',
    'packages/text/own-words.ts',
  ),
  [`${python}/_constants.py`]: pythonModule('Constants of the contract.', pythonConstants(clientConstants())),
  [`${python}/client.py`]: await synchronousModule('The synchronous client.', 'async_client.py'),
  [`${python}/_sender.py`]: await synchronousModule('Synchronous requests over httpx.', '_async_sender.py'),
};
const stale = await staleFiles();
if (process.argv.includes('--check')) {
  if (stale.length > 0) fail(`${stale.join(', ')} not up to date: run \`npm run generate\` and commit the result`);
} else {
  for (const name of stale) {
    await mkdir(new URL('./', new URL(name, root)), { recursive: true });
    await writeFile(new URL(name, root), files[name] ?? '');
  }
}
console.log(`up to date: ${Object.keys(files).join(', ')}`);

/**
 * Returns a camelCase constant for each x- value at the root, and the enumerations, bounds and fields of the
 * schemas.
 */
function constants(): string[] {
  const behaviour = Object.keys(contract).filter((key) => key.startsWith('x-'));
  return [
    ...behaviour.map((key) => constant(camelCase(key.slice(2)), contract[key])),
    constant(
      'enums',
      collect((schema) => schema.enum),
    ),
    constant('bounds', collect(boundsOf)),
    constant(
      'fields',
      collect(({ properties }) => properties && Object.keys(properties)),
    ),
    constant('signals', signals()),
    constant('parameterDefaults', parameterDefaults()),
    constant('publicOperations', publicOperations()),
    constant('operationScopes', operationScopes()),
    constant('contractDigest', digestContract(yaml)),
  ];
}

/** Constants that the score shares with clients. The package has its own, so that it runs without the contract. */
function scoreConstants(): string[] {
  const names = ['bands', 'raised', 'triggers', 'model-version', 'score-max', 'signal-ages'];
  const { state_seconds_max, topics_max } = contract['x-summaries'] as Record<string, number>;
  return [
    ...names.map((name) => constant(camelCase(name), contract[`x-${name}`])),
    constant('summaries', { state_seconds_max, topics_max }),
    constant('signalCategories', follow('SignalCategory').enum),
    constant('signals', signals()),
  ];
}

function pythonModule(docstring: string, code: string): string {
  return `"""${docstring}"""\n\n${banner.replace('// ', '# ')}${code}`;
}

async function synchronousModule(docstring: string, name: string): Promise<string> {
  const header = `"""${docstring}"""\n\n# Generated from ${name} by \`npm run generate\`. Edit that file instead.\n\n`;
  return header + toSynchronous(await readFile(new URL(`${python}/${name}`, root), 'utf8'));
}

/** Constants that the Python client needs. */
function clientConstants(): Record<string, number> {
  const { 'x-batch': batch, 'x-body': body, 'x-stream': stream } = contract as unknown as ClientConstants;
  const beats = follow('BeatIntervals') as unknown as IntervalSchema;
  return {
    BATCH_LINES_MAX: batch.lines_max,
    BATCH_MAX_BYTES: batch.max_bytes,
    BODY_MAX_BYTES: body.max_bytes,
    RR_INTERVALS_MAX: beats.maxItems,
    RR_INTERVAL_MAX_MS: beats.items.maximum,
    RR_INTERVAL_MIN_MS: beats.items.minimum,
    STREAM_HEARTBEAT_SECONDS: stream.heartbeat_seconds,
    STREAM_RETRY_MS: stream.retry_ms[0],
  };
}

function parameterDefaults(): Record<string, unknown> {
  const defaults = Object.entries(contract.components.parameters).map(([name, it]) => [name, it.schema.default]);
  return Object.fromEntries(defaults.filter(([, value]) => value !== undefined));
}

/** Returns the operations that require no key: `security: []`. */
function publicOperations(): string[] {
  return operations()
    .filter(isPublic)
    .map(({ operationId }) => operationId);
}

/** Returns the scope that each operation requires of a service key. Throws if one has no scope of x-scopes. */
function operationScopes(): Record<string, string> {
  const scopes = Object.keys(contract['x-scopes'] as object);
  const takesKey = ({ security }: OperationObject) => security?.some((it) => 'ServiceKey' in it) ?? true;
  const scoped = operations().filter(takesKey);
  const unscoped = scoped.filter(({ 'x-scope': scope }) => !scopes.includes(scope ?? ''));
  if (unscoped.length > 0)
    fail(`openapi.yaml: x-scope of ${unscoped.map(({ operationId }) => operationId).join(', ')} is not in x-scopes`);
  return Object.fromEntries(scoped.map(({ operationId, 'x-scope': scope }) => [operationId, scope ?? '']));
}

function operations(): OperationObject[] {
  return Object.values(contract.paths).flatMap((methods) => Object.values(methods));
}

function isPublic({ security }: OperationObject): boolean {
  return security?.length === 0;
}

function constant(name: string, value: unknown): string {
  return `export const ${name} = ${JSON.stringify(value, null, 2)} as const;`;
}

function collect(pick: (schema: Schema) => unknown): Record<string, unknown> {
  const picked = Object.entries(contract.components.schemas).map(([name, schema]) => [name, pick(schema)]);
  return Object.fromEntries(picked.filter(([, value]) => value !== undefined));
}

function boundsOf({ properties = {} }: Schema): unknown {
  const bounded = Object.entries(properties)
    .map(([name, it]) => [name, follow(it.$ref, it)] as const)
    .filter(([, { minimum, maximum }]) => minimum !== undefined && maximum !== undefined);
  if (bounded.length === 0) return undefined;
  return Object.fromEntries(bounded.map(([name, { minimum, maximum }]) => [name, { minimum, maximum }]));
}

/** Returns the signals of a reading, with the bounds of a number or of each number in a list. */
function signals(): Record<string, unknown> {
  const rows = Object.entries(follow('SignalSubmission').properties ?? {}).flatMap(([name, property]) => {
    const {
      items,
      maxItems: items_max,
      'x-unit': unit,
      'x-signal': signal,
      ...schema
    } = follow(property.$ref, property);
    const { minimum, maximum } = items ?? schema;
    if (!signal) return [];
    const consent = signal.consent ?? signal.category ?? fail(`${name}: x-signal has neither category nor consent`);
    return [[name, { ...signal, consent, type: schema.type, values: schema.enum, unit, minimum, maximum, items_max }]];
  });
  return Object.fromEntries(rows);
}

/** Returns a schema by its name or reference. */
function follow(reference: string | undefined, otherwise: Schema = {}): Schema {
  return contract.components.schemas[reference?.split('/').at(-1) ?? ''] ?? otherwise;
}

/** Throws unless the table of details and the enumeration contain the same codes. */
function checkCodes(table: string, schema: Schema | undefined): void {
  const rows = Object.keys(contract[table] as object);
  const wire = schema?.enum ?? [];
  const odd = [...rows.filter((code) => !wire.includes(code)), ...wire.filter((code) => !rows.includes(code))];
  if (odd.length > 0) fail(`openapi.yaml: ${table} and the enumeration of its codes differ in ${odd.join(', ')}`);
}

async function staleFiles(): Promise<string[]> {
  const names = Object.keys(files);
  const current = await Promise.all(names.map((name) => readFile(new URL(name, root), 'utf8').catch(() => '')));
  return names.filter((name, index) => current[index] !== files[name]);
}

function camelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
