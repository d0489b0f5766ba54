import { resolve } from '../../testkit/reference.js';

/** An OpenAPI 3.0 schema, or its draft-07 form, which Dredd understands. */
export type OpenApiSchema = Readonly<Record<string, unknown>>;
export type JsonSchema = Readonly<Record<string, unknown>>;

const draft = 'http://json-schema.org/draft-07/schema#';

/** Keywords that JSON Schema does not define, or that draft-07 defines differently. */
const left = ['example', 'externalDocs', 'discriminator', 'xml', 'deprecated', 'readOnly', 'writeOnly', 'nullable'];

/** Converts a schema of the contract to draft-07 with every `$ref` inlined. Throws for a recursive schema. */
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

/** Converts the schemas inside a keyword. Returns any other value unchanged. */
function nested(keyword: string, value: unknown, inner: (value: unknown) => JsonSchema): unknown {
  if (keyword === 'properties')
    return Object.fromEntries(Object.entries(value as object).map(([name, it]) => [name, inner(it)]));
  if (['allOf', 'anyOf', 'oneOf'].includes(keyword)) return (value as unknown[]).map(inner);
  const isSchema = ['items', 'not', 'additionalProperties'].includes(keyword) && typeof value === 'object';
  return isSchema ? inner(value) : value;
}

/**
 * Converts exclusive bounds. In OpenAPI 3.0, exclusiveMinimum modifies minimum. In draft-07, exclusiveMinimum is the
 * bound.
 */
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
