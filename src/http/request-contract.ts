import {
  type ContractDocument,
  type OperationObject,
  type ParameterObject,
  resolve,
  type SchemaObject,
} from './contract-document.js';

/** Keywords that describe a schema and validate nothing. */
const annotations = ['description', 'example', 'title', 'deprecated'];

/**
 * Returns the part of the contract that describes requests, as an OpenAPI document without `$ref`. The validator adds
 * the whole document to the schema of each operation, so a small document saves CPU time and memory.
 */
export function requestContractOf(document: ContractDocument): object {
  const paths = mapValues(document.paths, (operations) =>
    mapValues(operations, (operation) => requestOf(document, operation)),
  );
  return { openapi: '3.0.3', info: { title: '', version: '' }, paths };
}

function requestOf(document: ContractDocument, { operationId, parameters, requestBody }: OperationObject): object {
  return {
    operationId,
    parameters: parameters?.map((it) => parameterOf(document, resolve(document, it))) ?? [],
    ...(requestBody && {
      requestBody: {
        required: true,
        content: mapValues(requestBody.content, ({ schema }) => ({ schema: schemaOf(document, schema) })),
      },
    }),
    responses: {},
  };
}

const parameterOf = (document: ContractDocument, { schema, ...rest }: ParameterObject): object => ({
  ...rest,
  schema: schemaOf(document, schema),
});

/**
 * Returns a schema with each `$ref` replaced by its target and each `x-pattern` by a `pattern`.
 *
 * The published contract has no `pattern` next to `format: date-time`, because generators apply the pattern to their
 * date type, which fails.
 */
function schemaOf(document: ContractDocument, schema: SchemaObject): object {
  const { properties, items, 'x-pattern': pattern, ...rest } = resolve(document, schema);
  const keywords = Object.entries(rest).filter(([name]) => !name.startsWith('x-') && !annotations.includes(name));
  return {
    ...Object.fromEntries(keywords),
    ...(pattern !== undefined && { pattern }),
    ...(items && { items: schemaOf(document, items) }),
    ...(properties && { properties: mapValues(properties, (it) => schemaOf(document, it)) }),
  };
}

function mapValues<From, To>(record: Readonly<Record<string, From>>, convert: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, convert(value)]));
}
