import type { Operation, Parameter } from './contract.js';
import { localServer, type SampleRequest } from './samples.js';

/** Returns a request to the operation, built from the examples in the contract. */
export function sampleRequest(operation: Operation): SampleRequest {
  const { method, path = '', parameters, exclusive, needsKey, request, answers } = operation;
  const example = (name: string) => String(parameters.find((it) => it.name === name)?.example);
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(example(name)));
  const chosen = exclusive?.required ? exclusive.names[0] : undefined;
  const isSent = ({ name, required, schema }: Parameter) => required || schema.default !== undefined || name === chosen;
  const required = parameters.filter((it) => it.in === 'query' && isSent(it));
  const query = required.map(({ name }) => `${name}=${encodeURIComponent(example(name))}`).join('&');
  const value = request?.examples[0]?.value;
  return {
    method,
    url: `${localServer}${filled}${query && `?${query}`}`,
    needsKey,
    body: value === undefined ? undefined : bodyText(value),
    mediaType: request?.mediaType,
    hasAnswer: answers.some(({ status, body }) => status.startsWith('2') && body !== undefined),
  };
}

/** Returns an example as the text of a body. NDJSON is a text already. */
export function bodyText(example: unknown): string {
  return typeof example === 'string' ? example.trim() : JSON.stringify(example, null, 2);
}
