import { expect, test } from 'vitest';
import { type Definition, definitions } from '../contract/definitions.js';
import { createFindErrors, createMiddleware } from './validator.js';

const findErrors = await createFindErrors();
const headersOf = ({ body }: Definition) => ({ 'content-type': body?.mediaType });

test.each(definitions.map((it) => [it.operationId, it] as const))(
  '%s rejects a body of null',
  async (_id, operation) => {
    const parts = { query: {}, headers: headersOf(operation), params: {}, body: null };
    const errors = await findErrors(operation, parts);
    expect(errors.some((it) => it.path === '/body')).toBe(operation.body !== undefined);
  },
);

test('every required parameter is reported', async () => {
  const required = (operation: Definition) => operation.parameters.filter((it) => it.required);
  for (const operation of definitions) {
    const parts = { query: {}, headers: headersOf(operation), params: {}, body: {} };
    const missing = (await findErrors(operation, parts)).filter((it) => /^\/(query|params)\//.test(it.path));
    expect(missing.map((it) => it.path.split('/').at(-1)).sort()).toEqual(
      required(operation)
        .map((it) => it.name)
        .sort(),
    );
  }
});

test('defaults of the contract are added to the query', async () => {
  const query = { session_id: 's1' };
  const getHistory = definitions.find((it) => it.operationId === 'getHistory') as Definition;
  expect(await findErrors(getHistory, { query, headers: {}, params: {}, body: undefined })).toEqual([]);
  expect(query).toEqual({ session_id: 's1', minutes: 5 });
});

test('every parameter of the query is a string, an integer or a list, which readQuery converts', () => {
  const parameters = definitions.flatMap((it) => it.parameters);
  const types = parameters.filter((it) => it.in === 'query').map((it) => it.schema.type);
  expect(new Set(types)).toEqual(new Set(['string', 'integer', 'array']));
});

test('headers are found in lower case', async () => {
  const registerWebhook = definitions.find((it) => it.operationId === 'registerWebhook') as Definition;
  const headers = { ...headersOf(registerWebhook), 'idempotency-key': '' };
  const errors = await findErrors(registerWebhook, { query: {}, headers, params: {}, body: {} });
  expect(errors.map((it) => it.path)).toContain('/headers/idempotency-key');
});

test('the first request fails without the middleware that validates requests', async () => {
  const { find, check } = createMiddleware();
  const findNone = await createFindErrors({ find, check: check.slice(1) });
  const ingest = definitions.find((it) => it.operationId === 'ingest') as Definition;
  const checking = findNone(ingest, { query: {}, headers: headersOf(ingest), params: {}, body: {} });
  await expect(checking).rejects.toThrow('express-openapi-validator does not validate ingest');
});

test('the start fails without the middleware that finds the operation', async () => {
  const { find, check } = createMiddleware();
  const creating = createFindErrors({ find: find.slice(0, 1), check });
  await expect(creating).rejects.toThrow('express-openapi-validator does not find POST /v1/ingest');
});
