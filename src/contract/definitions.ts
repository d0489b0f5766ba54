import { readFile } from 'node:fs/promises';
import contract from '../../generated/openapi.json' with { type: 'json' };
import { contractDigest } from '../../generated/spec.js';
import { digestContract } from './contract-digest.js';
import type { OperationId } from './contract.js';

/** An operation as the contract defines it, without `$ref` and examples. */
export interface Definition {
  readonly operationId: OperationId;
  readonly method: string;
  /** The path with the names of its parameters. Safe to log, because it contains no ids. */
  readonly template: string;
  readonly isPublic: boolean;
  /** True if the operation accepts session tokens. */
  readonly acceptsToken: boolean;
  readonly parameters: readonly Parameter[];
  /** Parameters of which a request has at most one, or exactly one if required. Undefined if there are none. */
  readonly exclusive: { readonly names: readonly string[]; readonly required?: boolean } | undefined;
  /** The body in its last media type. Undefined if the operation has no body. */
  readonly body: Content | undefined;
  /** All media types of the body. `readBody` converts them to the last one. */
  readonly mediaTypes: readonly string[];
  readonly statuses: readonly string[];
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description: string;
  /** A header that takes precedence over the query parameter. */
  readonly 'x-header'?: string;
  readonly schema: Schema;
}

export interface Content {
  readonly mediaType: string;
  readonly schema: Schema;
}

export interface Schema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly 'x-pattern-detail'?: string;
  readonly 'x-signal'?: { readonly use: string };
  readonly 'x-one-of-fields'?: readonly string[];
  readonly 'x-required-with'?: { readonly fields: readonly string[]; readonly required: string };
  readonly [keyword: string]: unknown;
}

/** An operation in the contract's document. */
interface Documented {
  readonly operationId: OperationId;
  readonly security?: ReadonlyArray<Readonly<Record<string, unknown>>>;
  readonly parameters?: readonly unknown[];
  readonly 'x-exclusive-parameters'?: NonNullable<Definition['exclusive']>;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: unknown }>> };
  readonly responses: Readonly<Record<string, unknown>>;
}

const paths = contract.paths as unknown as Readonly<Record<string, Readonly<Record<string, Documented>>>>;

export const definitions: readonly Definition[] = Object.entries(paths).flatMap(([template, methods]) =>
  Object.entries(methods).map(([method, documented]) => toDefinition(template, method.toUpperCase(), documented)),
);

export function findDefinition(operationId: OperationId): Definition {
  return definitions.find((it) => it.operationId === operationId) as Definition;
}

function toDefinition(template: string, method: string, documented: Documented): Definition {
  const { operationId, security, parameters = [], requestBody, responses } = documented;
  const content = requestBody?.content ?? {};
  const body = Object.entries(content).at(-1);
  return {
    ...{ operationId, method, template, statuses: Object.keys(responses) },
    isPublic: security?.length === 0,
    acceptsToken: security?.some((scheme) => 'BearerToken' in scheme) ?? false,
    parameters: resolve(parameters) as Parameter[],
    exclusive: documented['x-exclusive-parameters'],
    body: body && { mediaType: body[0], schema: resolve(body[1].schema) as Schema },
    mediaTypes: Object.keys(content),
  };
}

/** Returns a part of the contract with each local `$ref`, e.g. `#/components/schemas/Tone`, replaced by its target. */
function resolve(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(resolve);
  if (typeof part !== 'object' || part === null) return part;
  if ('$ref' in part) {
    const steps = String(part.$ref).slice(2).split('/');
    return resolve(steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], contract));
  }
  const kept = Object.entries(part).filter(([name]) => name !== 'example' && name !== 'examples');
  return Object.fromEntries(kept.map(([name, value]) => [name, resolve(value)]));
}

/**
 * Rejects if the file cannot be read or differs from the contract that the code was generated from, because validation
 * and computation must use the same contract. Compares digests, because parsing the YAML would double the startup time.
 */
export async function requireSameContract(file: URL): Promise<void> {
  if (digestContract(await readFile(file, 'utf8')) !== contractDigest)
    throw new Error('generated/ is from another openapi.yaml: run `npm run generate`');
}
