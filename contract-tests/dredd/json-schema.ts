import { resolve } from './reference.js';

/** A schema of OpenAPI 3.0, and as draft-07 the one that Dredd understands. */
export type OpenApiSchema = Readonly<Record<string, unknown>>;
export type JsonSchema = Readonly<Record<string, unknown>>;

const draft = 'http://json-schema.org/draft-07/schema#';

/** Keywords that mean nothing to JSON Schema or that draft-07 writes otherwise. */
const left = ['example', 'externalDocs', 'discriminator', 'xml', 'deprecated', 'readOnly', 'writeOnly', 'nullable'];

/** Rewrites a schema of the contract as draft-07 with every `$ref` inlined. Throws for one that contains itself. */
export function toJsonSchema(contract: object, schema: OpenApiSchema): JsonSchema {
  return { $schema: draft, ...convert(contract, schema, []) };
}

function convert(contract: object, schema: OpenApiSchema, within: readonly string[]): JsonSchema {
  const { $ref } = schema;
  if (typeof $ref === 'string') {
    if (within.includes($ref)) throw new Error(`${$ref} contains itself: it cannot be inlined`);
    return convert(contract, resolve<OpenApiSchema>(contract, { $ref }), [...within, $ref]);
  }
  const inner = (value: unknown) => convert(contract, value as OpenApiSchema, within);
  const kept = Object.entries(schema).filter(([keyword]) => !left.includes(keyword) && !keyword.startsWith('x-'));
  return nullable(
    schema,
    exclusive(Object.fromEntries(kept.map(([keyword, it]) => [keyword, nested(keyword, it, inner)]))),
  );
}

/** Converts the schemas that a keyword holds; any other value stays. */
function nested(keyword: string, value: unknown, inner: (value: unknown) => JsonSchema): unknown {
  if (keyword === 'properties')
    return Object.fromEntries(Object.entries(value as object).map(([name, it]) => [name, inner(it)]));
  if (['allOf', 'anyOf', 'oneOf'].includes(keyword)) return (value as unknown[]).map(inner);
  const isSchema = ['items', 'not', 'additionalProperties'].includes(keyword) && typeof value === 'object';
  return isSchema ? inner(value) : value;
}

/** In OpenAPI 3.0 exclusiveMinimum says how minimum is meant; in draft-07 it is the bound itself. */
function exclusive(schema: Record<string, unknown>): Record<string, unknown> {
  for (const [flag, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (schema[flag] === true) schema[flag] = schema[bound];
    else delete schema[flag];
  }
  return schema;
}

function nullable(schema: OpenApiSchema, converted: JsonSchema): JsonSchema {
  return schema['nullable'] === true ? { anyOf: [converted, { type: 'null' }] } : converted;
}
