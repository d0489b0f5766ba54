import { type Definition, definitions, type Schema } from '../contract/definitions.js';
import { operations } from '../operations/index.js';
import type { AnyOperation } from '../operations/operation.js';

/** A tool of the Model Context Protocol. It runs one operation. */
export interface Tool extends NonNullable<AnyOperation['tool']> {
  readonly definition: Definition;
  readonly personalData: AnyOperation['personalData'];
}

export const tools: readonly Tool[] = Object.entries<AnyOperation>(operations).flatMap(
  ([operationId, { tool, personalData }]) => {
    const definition = definitions.find((it) => it.operationId === operationId);
    return tool && definition ? [{ ...tool, definition, personalData }] : [];
  },
);

/** Returns the tool in the format of the protocol's list. Both schemas come from the contract. */
export function listTool({ name, title, description, definition, personalData }: Tool) {
  const output = definition.findResponse();
  if (!output) throw new Error(`${definition.operationId} has no response in the contract`);
  const { body } = definition;
  const annotations = {
    title,
    readOnlyHint: personalData === 'reads',
    destructiveHint: personalData === 'erases',
    // Each call without a timestamp is a new reading.
    idempotentHint: personalData !== 'writes',
    openWorldHint: false,
  };
  const inputSchema = body ? withoutTimestamp(body.schema) : toParameterSchema(definition);
  return { name, title, description, annotations, inputSchema, outputSchema: convert(output, 'none') as JsonSchema };
}

/**
 * Returns the body as JSON Schema, with an optional timestamp. An agent does not know the time to the second, so the server adds a missing timestamp.
 */
function withoutTimestamp(body: Schema): JsonSchema {
  const { required = [], ...schema } = convert(body, 'first sentence') as JsonSchema;
  return { ...schema, required: required.filter((name) => name !== 'timestamp') };
}

/** The root of a tool's schema in the format that the protocol requires. */
interface JsonSchema {
  type: 'object';
  required?: string[];
  [keyword: string]: unknown;
}

/** How much of the descriptions a schema contains. Every word of a tool's schema uses the agent's context. */
type Descriptions = 'first sentence' | 'none';

/** Returns the query and path parameters of an operation as one object. */
function toParameterSchema({ parameters }: Definition): JsonSchema {
  const named = parameters.filter((it) => it.in !== 'header');
  const properties = named.map(({ name, schema, description }) => {
    return [name, convert({ ...schema, description }, 'first sentence')];
  });
  const required = named.filter((it) => it.required).map(({ name }) => name);
  return { type: 'object', properties: Object.fromEntries(properties), required, additionalProperties: false };
}

function convert(part: unknown, descriptions: Descriptions): unknown {
  if (Array.isArray(part)) return part.map((it) => convert(it, descriptions));
  if (typeof part !== 'object' || part === null) return part;
  const { nullable, ...schema } = part as Schema;
  // The name says enough, because no score depends on the value.
  const isStoredOnly = schema['x-signal']?.use === 'stored only';
  const converted = Object.entries(schema).flatMap(([name, value]) => {
    // The service checks patterns. Agents rarely need them, and they use many tokens.
    if (name.startsWith('x-') || name === 'pattern') return [];
    if (name !== 'description' || typeof value !== 'string') return [[name, convert(value, descriptions)]];
    return isStoredOnly || descriptions === 'none' ? [] : [[name, value.trim().split(/(?<=\.)\s/)[0]]];
  });
  // A list of types is valid too, but some clients support a single type only.
  return nullable === true
    ? { anyOf: [Object.fromEntries(converted), { type: 'null' }] }
    : Object.fromEntries(converted);
}
