/**
 * Writes generated/ from openapi.yaml: api.ts (types), spec.ts (constants), openapi.json (bundled). With --check,
 * writes nothing and fails if a file is stale.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { parse } from 'yaml';
import { contractDigestOf } from '../../src/http/contract-digest.js';

interface Contract {
  paths: Record<string, Record<string, OperationObject>>;
  components: { schemas: Record<string, Schema>; parameters: Record<string, { schema: { default?: unknown } }> };
  [key: string]: unknown;
}
interface OperationObject {
  operationId: string;
  security?: unknown[];
  'x-scope'?: string;
}
interface Schema {
  enum?: string[];
  properties?: Record<string, { minimum?: number; maximum?: number }>;
}

const root = new URL('../../', import.meta.url);
const banner = '// Generated from openapi.yaml by `npm run generate`. Edit that file instead.\n\n';

const yaml = await readFile(new URL('openapi.yaml', root), 'utf8');
const contract = parse(yaml) as Contract;
checkCodes('x-problems', 'ProblemCode');
checkCodes('x-problem-help', 'ProblemCode');
checkCodes('x-faults', 'FaultCode');

const files: Record<string, string> = {
  'api.ts': banner + astToString(await openapiTypescript(structuredClone(contract) as never)),
  'spec.ts': `${banner}${constants().join('\n\n')}\n`,
  'openapi.json': `${JSON.stringify(contract, null, 2)}\n`,
};
const stale = await staleFiles();
if (process.argv.includes('--check')) {
  if (stale.length > 0)
    fail(`generated/${stale.join(', generated/')} stale: run \`npm run generate\` and commit the result`);
} else {
  await mkdir(new URL('generated/', root), { recursive: true });
  for (const name of stale) await writeFile(new URL(`generated/${name}`, root), files[name] ?? '');
}
console.log(`generated/ is current (${Object.keys(files).join(', ')})`);

/**
 * Returns a camelCase constant for each root-level x- value, and the enumerations and numeric bounds of the schemas.
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
    constant('parameterDefaults', parameterDefaults()),
    constant('publicOperations', publicOperations()),
    constant('operationScopes', operationScopes()),
    constant('contractDigest', contractDigestOf(yaml)),
  ];
}

function parameterDefaults(): Record<string, unknown> {
  const defaults = Object.entries(contract.components.parameters).map(([name, it]) => [name, it.schema.default]);
  return Object.fromEntries(defaults.filter(([, value]) => value !== undefined));
}

/** Operations that need no key: `security: []`. */
function publicOperations(): string[] {
  return operations()
    .filter(isPublic)
    .map(({ operationId }) => operationId);
}

/** Returns the scope that each operation requires. Fails if an operation names no scope of x-scopes. */
function operationScopes(): Record<string, string> {
  const scopes = Object.keys(contract['x-scopes'] as object);
  const scoped = operations().filter((operation) => !isPublic(operation));
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

function boundsOf(schema: Schema): unknown {
  const bounded = Object.entries(schema.properties ?? {}).filter(
    ([, { minimum, maximum }]) => minimum !== undefined && maximum !== undefined,
  );
  if (bounded.length === 0) return undefined;
  return Object.fromEntries(bounded.map(([name, { minimum, maximum }]) => [name, { minimum, maximum }]));
}

/** Fails unless the table of details and the enumeration contain the same codes. */
function checkCodes(table: string, schema: string): void {
  const rows = Object.keys(contract[table] as object);
  const wire = contract.components.schemas[schema]?.enum ?? [];
  const odd = [...rows.filter((code) => !wire.includes(code)), ...wire.filter((code) => !rows.includes(code))];
  if (odd.length > 0) fail(`openapi.yaml: ${table} and ${schema} differ in ${odd.join(', ')}`);
}

async function staleFiles(): Promise<string[]> {
  const names = Object.keys(files);
  const current = await Promise.all(
    names.map((name) => readFile(new URL(`generated/${name}`, root), 'utf8').catch(() => '')),
  );
  return names.filter((name, index) => current[index] !== files[name]);
}

function camelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
