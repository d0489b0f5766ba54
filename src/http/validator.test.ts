import { expect, test } from 'vitest';
import { loadContractDocument, mediaTypeOf, type OperationObject, resolve } from './contract-document.js';
import { createFindErrors, middlewareOf } from './validator.js';

const document = await loadContractDocument(new URL('../../openapi.yaml', import.meta.url));
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
const findErrors = await createFindErrors(document);
const headersOf = (operation: OperationObject) => ({ 'content-type': mediaTypeOf(operation) });

test.each(operations.map((it) => [it.operationId, it] as const))(
  '%s rejects a body of null',
  async (_id, operation) => {
    const parts = { query: {}, headers: headersOf(operation), params: {}, body: null };
    const errors = await findErrors(operation, parts);
    expect(errors.some((it) => it.path === '/body')).toBe(operation.requestBody !== undefined);
  },
);

test('every required parameter is reported', async () => {
  const required = (operation: OperationObject) =>
    (operation.parameters ?? []).map((it) => resolve(document, it)).filter((it) => it.required);
  for (const operation of operations) {
    const parts = { query: {}, headers: headersOf(operation), params: {}, body: {} };
    const missing = (await findErrors(operation, parts)).filter((it) => /^\/(query|params)\//.test(it.path));
    expect(missing.map((it) => it.path.split('/').at(-1))).toEqual(required(operation).map((it) => it.name));
  }
});

test('defaults of the contract are added to the query', async () => {
  const query = { session_id: 's1' };
  const getHistory = operations.find((it) => it.operationId === 'getHistory') as OperationObject;
  expect(await findErrors(getHistory, { query, headers: {}, params: {}, body: undefined })).toEqual([]);
  expect(query).toEqual({ session_id: 's1', minutes: 5 });
});

test('every parameter of the query is a string or an integer, which readQuery converts', () => {
  const parameters = operations.flatMap((it) => it.parameters ?? []).map((it) => resolve(document, it));
  const types = parameters.filter((it) => it.in === 'query').map((it) => resolve(document, it.schema).type);
  expect(new Set(types)).toEqual(new Set(['string', 'integer']));
});

test('headers are found in lower case', async () => {
  const registerWebhook = operations.find((it) => it.operationId === 'registerWebhook') as OperationObject;
  const headers = { ...headersOf(registerWebhook), 'idempotency-key': '' };
  const errors = await findErrors(registerWebhook, { query: {}, headers, params: {}, body: {} });
  expect(errors.map((it) => it.path)).toContain('/headers/idempotency-key');
});

test('the start fails without the middleware that validates requests', async () => {
  const { find, check } = middlewareOf(document);
  const creating = createFindErrors(document, { find, check: check.slice(1) });
  await expect(creating).rejects.toThrow('express-openapi-validator does not validate ingest');
});

test('the start fails without the middleware that finds the operation', async () => {
  const { find, check } = middlewareOf(document);
  const creating = createFindErrors(document, { find: find.slice(0, 1), check });
  await expect(creating).rejects.toThrow('express-openapi-validator does not find POST /v1/ingest');
});
