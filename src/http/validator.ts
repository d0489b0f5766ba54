import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import addFormatsModule from 'ajv-formats';
import type { OperationId } from '../contract.js';
import {
  bodySchemaOf,
  type ContractDocument,
  type OperationObject,
  type ParameterObject,
  resolve,
  type SchemaObject,
} from './contract-document.js';

// The package is CommonJS and types its default export one level too high.
const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default;

/** The parts of a request that the contract describes. Integers of the query are numbers, header names lower case. */
export interface RequestParts {
  readonly query: object;
  readonly headers: object;
  readonly params: object;
  readonly body: unknown;
}

/**
 * Returns all errors of a request. Their paths begin with the name of a part, e.g. `/query` or `/body/tone`. Adds the
 * contract's defaults to the parts.
 */
export type FindErrors = (operation: OperationObject, parts: RequestParts) => readonly ErrorObject[];

/**
 * Returns a function that validates requests with JSON Schemas built from the contract. The schema of an operation is
 * compiled for its first request: compiling all of them would take a fifth of the start.
 */
export function createFindErrors(document: ContractDocument): FindErrors {
  // The contract itself is checked by the linters, so the schemas are not validated again.
  const ajv = new Ajv({ allErrors: true, useDefaults: true, strict: true, meta: false, validateSchema: false });
  addFormats(ajv, { mode: 'full' });
  const compiled = new Map<OperationId, ValidateFunction>();
  return (operation, parts) => {
    const { operationId } = operation;
    const validate = compiled.get(operationId) ?? ajv.compile(requestSchema(document, operation));
    compiled.set(operationId, validate);
    return validate(parts) ? [] : (validate.errors ?? []);
  };
}

function requestSchema(document: ContractDocument, operation: OperationObject): object {
  const { parameters = [] } = operation;
  const bodySchema = bodySchemaOf(operation);
  const all = parameters.map((it) => resolve(document, it));
  const body = bodySchema && { body: schemaOf(document, bodySchema) };
  const properties = {
    query: parametersIn(document, all, 'query'),
    headers: parametersIn(document, all, 'header'),
    params: parametersIn(document, all, 'path'),
    ...body,
  };
  return { type: 'object', properties, required: Object.keys(properties) };
}

function parametersIn(document: ContractDocument, all: readonly ParameterObject[], place: string): object {
  const named = all
    .filter((it) => it.in === place)
    .map((it) => ({ ...it, name: place === 'header' ? it.name.toLowerCase() : it.name }));
  const properties = named.map(({ name, schema }) => [name, schemaOf(document, schema)]);
  const required = named.filter((it) => it.required).map(({ name }) => name);
  return { type: 'object', properties: Object.fromEntries(properties), required };
}

/** Keywords that describe a schema and validate nothing. */
const annotations = ['description', 'example', 'title', 'deprecated'];

/**
 * Converts a schema of the contract to JSON Schema. Replaces each `$ref` by its target and each `x-pattern` by a
 * `pattern`. Compiling the result throws if it contains a keyword that this function does not convert.
 *
 * The published contract has no `pattern` next to `format: date-time`, because generators apply the pattern to their
 * date type, which fails.
 */
function schemaOf(document: ContractDocument, schema: SchemaObject): object {
  const { properties, items, 'x-pattern': pattern, ...rest } = resolve(document, schema);
  const keywords = Object.entries(rest).filter(([name]) => !name.startsWith('x-') && !annotations.includes(name));
  const converted = Object.entries(properties ?? {}).map(([name, it]) => [name, schemaOf(document, it)]);
  return {
    ...Object.fromEntries(keywords),
    ...(pattern !== undefined && { pattern }),
    ...(items && { items: schemaOf(document, items) }),
    ...(properties && { properties: Object.fromEntries(converted) }),
  };
}
