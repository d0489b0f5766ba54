import contract from '../generated/openapi.json' with { type: 'json' };
import { resolve } from './reference.js';

interface ParameterObject {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly example?: unknown;
}

interface OperationObject {
  readonly operationId: string;
  readonly security?: readonly unknown[];
  readonly parameters?: ReadonlyArray<ParameterObject | { readonly $ref: string }>;
  readonly 'x-exclusive-parameters'?: { readonly names: readonly string[]; readonly required?: boolean };
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaObject>> };
  readonly responses: Readonly<Record<string, unknown>>;
}

interface MediaObject {
  readonly schema: { readonly $ref: string };
  /** The value of NDJSON is a text. */
  readonly examples: Readonly<Record<string, { readonly value: Readonly<Record<string, unknown>> | string }>>;
}

/** The documented example of an operation. */
export interface DocumentedRequest {
  readonly operationId: string;
  readonly path: string;
  readonly init: RequestInit;
}

/** A request of the contract with an id in one of the locations that the operation allows. */
export interface RequestById {
  readonly operationId: string;
  /** For example `getState: session_id in query`. */
  readonly title: string;
  /** The name of the id. Undefined when the operation has no id. */
  readonly idName: string | undefined;
  /** Returns the documented example with this id. Applies the changes to fields that the example's body contains. */
  build(id: string, changes: Readonly<Record<string, unknown>>): { readonly path: string; readonly init: RequestInit };
}

type Placed = readonly [template: string, method: string, operation: OperationObject];

const operations = Object.entries(contract.paths).flatMap(([template, methods]) =>
  Object.entries(methods as Record<string, OperationObject>).map(([method, it]): Placed => [template, method, it]),
);

/** Returns one request per operation that documents the status, with only the required fields. */
export function requestsThatMayGet(status: number): DocumentedRequest[] {
  return operations
    .filter(([, , { responses }]) => String(status) in responses)
    .map(([template, method, operation]) => {
      const { names = [], required: isOneRequired } = operation['x-exclusive-parameters'] ?? {};
      const needed = isOneRequired ? names[0] : undefined;
      const parameters = parametersOf(operation).filter(({ required, name }) => required || name === needed);
      const path = pathOf(template, parameters, ({ example }) => String(example));
      const init = { method: method.toUpperCase(), ...bodyOf(operation, {}, {}) };
      return { operationId: operation.operationId, path, init };
    });
}

/**
 * Returns the request that an importer, such as that of Postman, makes of each operation: with all parameters that have an
 * example. Applies the changes to fields that the body contains.
 */
export function importedRequests(changes: Readonly<Record<string, unknown>>): DocumentedRequest[] {
  return operations.map(([template, method, operation]) => {
    const parameters = parametersOf(operation).filter((it) => it.example !== undefined);
    const headers = parameters.filter((it) => it.in === 'header').map((it) => [it.name, String(it.example)] as const);
    const body = bodyOf(operation, changes, {});
    return {
      operationId: operation.operationId,
      path: pathOf(template, parameters, ({ example }) => String(example)),
      init: { ...body, method: method.toUpperCase(), headers: { ...Object.fromEntries(headers), ...body.headers } },
    };
  });
}

/** Returns the requests of all operations that require a key: one request per id that the operation accepts. */
export function requestsById(): RequestById[] {
  return operations.filter(([, , { security }]) => security?.length !== 0).flatMap(byIdOf);
}

function byIdOf([template, method, operation]: Placed): RequestById[] {
  const parameters = parametersOf(operation);
  const named = [
    ...parameters.map(({ name, in: place }) => ({ name, place })),
    ...fieldsOf(operation).map((name) => ({ name, place: 'body' })),
  ].filter(({ name }) => /^id$|(?<!event)_ids?$/.test(name));
  const places = named.length > 0 ? named : [{ name: undefined, place: 'nowhere' }];
  const { operationId } = operation;
  return places.map(({ name, place }) => ({
    operationId,
    title: `${operationId}: ${name === undefined ? 'names no id' : `${name} in ${place}`}`,
    idName: name,
    build: (id, changes) => {
      const valueOf = (it: ParameterObject) => (it.name === name && it.in === place ? id : String(it.example));
      const sent = parameters.filter((it) => it.required || it.name === name);
      const inBody = place === 'body' && name !== undefined ? { [name]: name.endsWith('s') ? [id] : id } : {};
      const init = { method: method.toUpperCase(), ...bodyOf(operation, changes, inBody) };
      return { path: pathOf(template, sent, valueOf), init };
    },
  }));
}

function parametersOf({ parameters = [] }: OperationObject): ParameterObject[] {
  return parameters.map((it) => resolve<ParameterObject>(contract, it));
}

function pathOf(
  template: string,
  parameters: readonly ParameterObject[],
  valueOf: (parameter: ParameterObject) => string,
): string {
  const path = parameters
    .filter((it) => it.in === 'path')
    .reduce((so, it) => so.replace(`{${it.name}}`, encodeURIComponent(valueOf(it))), template);
  const query = parameters.filter((it) => it.in === 'query').map((it): [string, string] => [it.name, valueOf(it)]);
  return query.length > 0 ? `${path}?${new URLSearchParams(query)}` : path;
}

function fieldsOf({ requestBody }: OperationObject): string[] {
  if (!requestBody) return [];
  const [mediaType = '', { schema }] = mediaOf(requestBody);
  // Each line of NDJSON is a reading.
  const fieldsIn = mediaType === ndjson ? { $ref: '#/components/schemas/SignalSubmission' } : schema;
  return Object.keys(resolve<{ properties?: object }>(contract, fieldsIn).properties ?? {});
}

/**
 * Returns the first example whose body has the fields of `inBody`. Applies the changes to fields that the body
 * contains.
 */
function bodyOf({ requestBody }: OperationObject, changes: object, inBody: object): RequestInit {
  if (!requestBody) return {};
  const [mediaType, { examples }] = mediaOf(requestBody);
  const values = Object.values(examples).map(({ value }) => (typeof value === 'string' ? lastLineOf(value) : value));
  const example = values.find((value) => Object.keys(inBody).every((name) => name in value)) ?? values[0];
  if (!example) return {};
  const changed = Object.entries(changes).filter(([name]) => name in example);
  const body = JSON.stringify({ ...example, ...Object.fromEntries(changed), ...inBody });
  return { headers: { 'Content-Type': mediaType }, body };
}

const ndjson = 'application/x-ndjson';

/** Returns the last media type, which is NDJSON for a batch. */
function mediaOf({ content }: NonNullable<OperationObject['requestBody']>): [mediaType: string, media: MediaObject] {
  const media = Object.entries(content).at(-1);
  if (!media) throw new Error('a request body without a media type');
  return media;
}

/** Returns the last line of an NDJSON example. A body of one line is valid NDJSON. */
function lastLineOf(lines: string): Readonly<Record<string, unknown>> {
  return JSON.parse(lines.trim().split('\n').at(-1) ?? '');
}
