import { readFile } from 'node:fs/promises';
import generated from '../../generated/openapi.json' with { type: 'json' };
import { contractDigest } from '../../generated/spec.js';
import type { OperationId } from '../contract.js';
import { contractDigestOf } from './contract-digest.js';

/** The parts of openapi.yaml that the service reads at run time. */
export interface ContractDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, SchemaObject>> };
}

export interface OperationObject {
  readonly operationId: OperationId;
  readonly security?: ReadonlyArray<Readonly<Record<string, unknown>>>;
  readonly parameters?: readonly ParameterObject[];
  readonly responses: Readonly<Record<string, unknown>>;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: SchemaObject }>> };
}

export interface ParameterObject {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: SchemaObject;
}

export interface SchemaObject {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, SchemaObject>>;
  readonly items?: SchemaObject;
  readonly 'x-pattern-detail'?: string;
  readonly 'x-one-of-fields'?: readonly string[];
  readonly 'x-required-with'?: { readonly fields: readonly string[]; readonly required: string };
  readonly [keyword: string]: unknown;
}

/**
 * Returns the contract of this deployment. Throws if the file cannot be read or differs from the contract that the code
 * was generated from, because validation and computation must use the same contract.
 *
 * Compares digests instead of contents, because parsing the YAML would double the startup time and use more memory.
 */
export async function loadContractDocument(file: URL): Promise<ContractDocument> {
  if (contractDigestOf(await readFile(file, 'utf8')) !== contractDigest)
    throw new Error('generated/ is from another openapi.yaml: run `npm run generate`');
  return generated as unknown as ContractDocument;
}

/** Returns the media type of an operation's body. Undefined if the operation has no body. No operation has several. */
export function mediaTypeOf({ requestBody }: OperationObject): string | undefined {
  return requestBody && Object.keys(requestBody.content)[0];
}

/** Returns the schema of an operation's body. Undefined if the operation has no body. */
export function bodySchemaOf({ requestBody }: OperationObject): SchemaObject | undefined {
  return requestBody && Object.values(requestBody.content)[0]?.schema;
}

/** Follows a local `$ref`, e.g. `#/components/schemas/Tone`. */
export function resolve<T extends { readonly $ref?: string }>(document: ContractDocument, node: T): T {
  if (node.$ref === undefined) return node;
  const steps = node.$ref.slice(2).split('/');
  const target = steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], document);
  return resolve(document, target as T);
}
