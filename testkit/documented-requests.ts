/** Requests that the contract documents, built from its examples. */
import { type Operation, operations as all, type Parameter, resolve, type Schema } from '../packages/docs/contract.js';
import { isNeeded, toTarget } from '../packages/docs/sample-request.js';
import type { OperationId } from '../src/contract/contract.js';

export interface DocumentedRequest {
  readonly operationId: string;
  /** Path with query. */
  readonly path: string;
  readonly init: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
  };
}

export interface RequestOptions {
  /** Returns true for a parameter that is sent. Default: those without which the operation rejects the request. */
  readonly isSent?: (parameter: Parameter) => boolean;
  /** Values in place of the examples of parameters, and of fields that the example of the body contains. */
  readonly values?: Readonly<Record<string, unknown>>;
  /** Fields of the body. Its example is the first one that has them, if there is one. */
  readonly fields?: object;
  /** The whole body in place of an example. */
  readonly body?: object | undefined;
}

/** A request of the contract with an id in one of the locations that the operation allows. */
export interface RequestById {
  readonly operationId: string;
  /** For example `getState: session_id in query`. */
  readonly title: string;
  /** The name of the id. Undefined when the operation has no id. */
  readonly idName: string | undefined;
  /** Returns the documented example with this id. Applies the changes to fields that the example's body contains. */
  build(id: string, changes: Readonly<Record<string, unknown>>): DocumentedRequest;
}

/** The operations of the contract, in its order. */
export const operations: readonly Operation[] = all.filter(({ path }) => path !== undefined);

/** Returns a request of the operation, or of its id. Throws if the contract lacks an example that the request needs. */
export function buildRequest(named: Operation | OperationId, options: RequestOptions = {}): DocumentedRequest {
  const operation = typeof named === 'string' ? findOperation(named) : named;
  const { isSent = isNeeded(operation), values = {} } = options;
  const { id: operationId, method, parameters } = operation;
  const headers = parameters
    .filter((it) => it.in === 'header' && isSent(it))
    .map(({ name, example }) => [name, String(values[name] ?? example)]);
  const content = contentOf(operation, options);
  return {
    operationId,
    path: toTarget(operation, isSent, values),
    init: { method, ...content, headers: { ...Object.fromEntries(headers), ...content?.headers } },
  };
}

function findOperation(operationId: OperationId): Operation {
  return operations.find(({ id }) => id === operationId) as Operation;
}

/** Returns one request per operation that documents the status, with only the required fields. */
export function requestsThatMayGet(status: number): DocumentedRequest[] {
  const mayGet = ({ answers }: Operation) => answers.some((it) => it.status === String(status));
  return operations.filter(mayGet).map((it) => buildRequest(it));
}

/**
 * Returns the request that an importer, such as that of Postman, makes of each operation: with all parameters that have an
 * example. Applies the changes to fields that the body contains.
 */
export function importedRequests(values: Readonly<Record<string, unknown>>): DocumentedRequest[] {
  const isSent = ({ example }: Parameter) => example !== undefined;
  return operations.map((it) => buildRequest(it, { isSent, values }));
}

/** Returns the requests of all operations that require a key: one request per id that the operation accepts. */
export function requestsById(): RequestById[] {
  return operations.filter(({ needsKey }) => needsKey).flatMap(byIdOf);
}

function byIdOf(operation: Operation): RequestById[] {
  const named = [
    ...operation.parameters.map(({ name, in: place }) => ({ name, place })),
    ...fieldsOf(operation).map((name) => ({ name, place: 'body' })),
  ].filter(({ name }) => /^id$|(?<!event)_ids?$/.test(name));
  const places = named.length > 0 ? named : [{ name: '', place: 'nowhere' }];
  return places.map(({ name, place }) => ({
    operationId: operation.id,
    title: `${operation.id}: ${name === '' ? 'names no id' : `${name} in ${place}`}`,
    idName: name === '' ? undefined : name,
    build: (id, changes) => {
      const isSent = (it: Parameter) => it.required === true || it.name === name;
      if (place !== 'body') return buildRequest(operation, { isSent, values: { ...changes, [name]: id } });
      return buildRequest(operation, { isSent, values: changes, fields: { [name]: name.endsWith('s') ? [id] : id } });
    },
  }));
}

const ndjson = 'application/x-ndjson';

function fieldsOf({ bodies }: Operation): string[] {
  const { mediaType, schema = {} } = bodies.at(-1) ?? {};
  // Each line of NDJSON is a reading.
  const fieldsIn: Schema = mediaType === ndjson ? { $ref: '#/components/schemas/SignalSubmission' } : schema;
  return Object.keys(resolve(fieldsIn).properties ?? {});
}

/** Returns the body in the last media type, which is NDJSON for a batch. */
function contentOf({ id, bodies }: Operation, { values = {}, fields = {}, body }: RequestOptions) {
  const media = bodies.at(-1);
  if (!media) return undefined;
  const examples = media.examples.map(({ value }) =>
    typeof value === 'string' ? lastLineOf(value) : (value as object),
  );
  const example = examples.find((it) => Object.keys(fields).every((name) => name in it)) ?? examples[0];
  if (!example) throw new Error(`${id}: the contract has no example of the body`);
  const changed = Object.entries(values).filter(([name]) => name in example);
  const sent = body ?? { ...example, ...Object.fromEntries(changed), ...fields };
  const text = Array.isArray(sent) ? sent.map((it) => `${JSON.stringify(it)}\n`).join('') : JSON.stringify(sent);
  return { headers: { 'Content-Type': media.mediaType }, body: text };
}

/** Returns the last line of an NDJSON example. A body of one line is valid NDJSON. */
function lastLineOf(lines: string): object {
  return JSON.parse(lines.trim().split('\n').at(-1) ?? '');
}
