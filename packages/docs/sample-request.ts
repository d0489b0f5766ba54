import type { Operation, Parameter } from './contract.js';
import { localServer, type SampleRequest } from './samples.js';

/** Returns a request to the operation, built from the examples in the contract. */
export function sampleRequest(operation: Operation): SampleRequest {
  const { method, needsKey, request, answers } = operation;
  const isRequired = isNeeded(operation);
  const value = request?.examples[0]?.value;
  return {
    method,
    url: `${localServer}${toTarget(operation, (it) => isRequired(it) || it.schema.default !== undefined)}`,
    needsKey,
    body: value === undefined ? undefined : bodyText(value),
    mediaType: request?.mediaType,
    hasAnswer: answers.some(({ status, body }) => status.startsWith('2') && body !== undefined),
  };
}

/** Returns a function that returns true for a parameter without which the operation rejects a request. */
export function isNeeded({ exclusive }: Operation): (parameter: Parameter) => boolean {
  const chosen = exclusive?.required ? exclusive.names[0] : undefined;
  return ({ name, required }) => required === true || name === chosen;
}

/**
 * Returns the path and the query of a request with the parameters that are sent, and with their examples or the values of
 * their names. Throws if a parameter has neither.
 */
export function toTarget(
  { id, path = '', parameters }: Operation,
  isSent: (parameter: Parameter) => boolean,
  values: Readonly<Record<string, unknown>> = {},
): string {
  const toText = ({ name, example }: Parameter) => {
    const value = values[name] ?? example;
    if (value === undefined) throw new Error(`${id}: the contract has no example of ${name}`);
    return encodeURIComponent(String(value));
  };
  const filled = parameters
    .filter((it) => it.in === 'path')
    .reduce((so, it) => so.replace(`{${it.name}}`, toText(it)), path);
  const sent = parameters.filter((it) => it.in === 'query' && isSent(it));
  return sent.length === 0 ? filled : `${filled}?${sent.map((it) => `${it.name}=${toText(it)}`).join('&')}`;
}

/** Returns an example as the text of a body. NDJSON is a text already. */
export function bodyText(example: unknown): string {
  return typeof example === 'string' ? example.trim() : JSON.stringify(example, null, 2);
}
