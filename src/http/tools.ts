import { operationScopes } from '../../generated/spec.js';
import type { Scope } from '../contract/contract.js';
import { type Definition, definitions, type Schema } from '../contract/definitions.js';
import { operations } from '../operations/index.js';
import type { AnyOperation } from '../operations/operation.js';

/** A tool of the Model Context Protocol. It runs one operation. */
export interface Tool extends NonNullable<AnyOperation['tool']> {
  readonly definition: Definition;
  readonly personalData: AnyOperation['personalData'];
  readonly scope: Scope;
}

const requiredScopes: Readonly<Record<string, Scope>> = operationScopes;

export const tools: readonly Tool[] = Object.entries<AnyOperation>(operations).flatMap(
  ([operationId, { tool, personalData }]) => {
    const definition = definitions.find((it) => it.operationId === operationId);
    const scope = requiredScopes[operationId];
    return tool && definition && scope ? [{ ...tool, definition, personalData, scope }] : [];
  },
);

/**
 * Returns the tool in the format of the protocol's list. Every byte uses the context of the agent, so the list has no
 * schema of the result, no default value of a hint, and only what the agent must know of the arguments.
 */
export function listTool({ name, title, description, definition, personalData }: Tool) {
  const isRead = personalData === 'reads';
  const annotations = {
    ...(isRead ? { readOnlyHint: true } : { destructiveHint: personalData === 'erases' }),
    // Each call without a timestamp is a new reading.
    ...(personalData === 'erases' && { idempotentHint: true }),
    openWorldHint: false,
  };
  return { name, title, description, annotations, inputSchema: shorten(readArguments(definition)) as JsonSchema };
}

/**
 * Returns the arguments of a tool as JSON Schema, with every keyword of the contract: the body, or the query and path
 * parameters. The timestamp of a body is optional, because an agent does not know the time to the second.
 */
export function readArguments({ body, parameters }: Definition): Schema {
  if (body) return { ...body.schema, required: (body.schema.required ?? []).filter((it) => it !== 'timestamp') };
  const named = parameters.filter((it) => it.in !== 'header');
  return {
    type: 'object',
    properties: Object.fromEntries(
      // The text of a path parameter explains its encoding, which an agent does not need.
      named.map((it) => [it.name, { ...it.schema, description: it.in === 'query' ? it.description : undefined }]),
    ),
    required: named.filter((it) => it.required).map(({ name }) => name),
    additionalProperties: false,
  };
}

/** The root of a tool's schema in the format that the protocol requires. */
interface JsonSchema {
  type: 'object';
  [keyword: string]: unknown;
}

/**
 * Returns a schema with types, enumerations, numeric bounds and short descriptions only. The service validates all other
 * keywords, and an error names the argument. A signal that no score uses is accepted and not listed.
 */
function shorten({ type, format, properties, required = [], items, minimum, maximum, ...schema }: Schema): unknown {
  const listed = Object.entries(properties ?? {}).filter(([, it]) => it['x-signal']?.use !== 'stored only');
  const entries = Object.entries({
    type,
    format,
    description: schema['x-unit'] ?? (schema.enum || properties ? undefined : readFirstSentence(schema['description'])),
    enum: schema.enum,
    minimum,
    maximum,
    items: items && shorten(items),
    properties: properties && Object.fromEntries(listed.map(([name, it]) => [name, shorten(it)])),
    required: required.length > 0 ? required : undefined,
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function readFirstSentence(text: unknown): string | undefined {
  return typeof text === 'string' ? text.trim().split(/(?<=\.)(?<!e\.g\.)\s/)[0] : undefined;
}
