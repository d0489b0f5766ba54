import { expect, test } from 'vitest';
import { loadContractDocument, type OperationObject, resolve } from './contract-document.js';
import { createFindErrors } from './validator.js';

const document = await loadContractDocument(new URL('../../openapi.yaml', import.meta.url));
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
const findErrors = createFindErrors(document);

test.each(operations.map((it) => [it.operationId, it] as const))('%s rejects a body of null', (_id, operation) => {
  const errors = findErrors(operation, { query: {}, headers: {}, params: {}, body: null });
  expect(errors.some((it) => it.instancePath === '/body')).toBe(operation.requestBody !== undefined);
});

test('every required parameter is reported', () => {
  const required = (operation: OperationObject) =>
    (operation.parameters ?? []).map((it) => resolve(document, it)).filter((it) => it.required);
  for (const operation of operations) {
    const errors = findErrors(operation, { query: {}, headers: {}, params: {}, body: {} });
    const missing = errors.filter((it) => /^\/(query|params)$/.test(it.instancePath));
    expect(missing.map((it) => it.params['missingProperty'])).toEqual(required(operation).map((it) => it.name));
  }
});

test('defaults of the contract are added to the query', () => {
  const query = { session_id: 's1' };
  const getHistory = operations.find((it) => it.operationId === 'getHistory') as OperationObject;
  expect(findErrors(getHistory, { query, headers: {}, params: {}, body: undefined })).toEqual([]);
  expect(query).toEqual({ session_id: 's1', minutes: 5 });
});

test('every parameter of the query is a string or an integer, which readQuery converts', () => {
  const parameters = operations.flatMap((it) => it.parameters ?? []).map((it) => resolve(document, it));
  const types = parameters.filter((it) => it.in === 'query').map((it) => resolve(document, it.schema).type);
  expect(new Set(types)).toEqual(new Set(['string', 'integer']));
});

test('headers are found in lower case', () => {
  const registerWebhook = operations.find((it) => it.operationId === 'registerWebhook') as OperationObject;
  const headers = { 'idempotency-key': '' };
  const errors = findErrors(registerWebhook, { query: {}, headers, params: {}, body: {} });
  expect(errors.map((it) => it.instancePath)).toContain('/headers/idempotency-key');
});
