import { expect, test } from 'vitest';
import { type Api, writeMethods, writeResendable } from './client-methods.js';
import { pythonMethods } from './python-methods.js';

const lamp = { schema: { $ref: '#/components/schemas/Lamp' } };
const json = { content: { 'application/json': lamp } };
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
/** A contract with operations that no hand-written code names. */
const api: Api = {
  paths: {
    '/v1/lamps': {
      post: { operationId: 'addLamp', 'x-resend-safe': true, requestBody: json, responses: { 201: json } },
    },
    '/v1/lamps/{id}': { delete: { operationId: 'removeLamp', parameters: [id], responses: { 204: {} } } },
  },
  components: { schemas: { Lamp: { type: 'object' } }, parameters: {} },
};

test('a new operation is a typed method of both clients', () => {
  const typescript = writeMethods(api);
  expect(typescript).toContain('addLamp(body: Lamp, call?: CallOptions): Promise<Lamp>;');
  expect(typescript).toContain('removeLamp(id: string, call?: CallOptions): Promise<void>;');
  const python = pythonMethods(api).replaceAll(/\s+/g, ' ');
  expect(python).toContain('add_lamp( self, lamp: Lamp, **call: Unpack[CallOptions], ) -> Lamp:');
  expect(python).toContain('remove_lamp( self, lamp_id: str, **call: Unpack[CallOptions], ) -> None:');
});

test('both clients resend a POST only if the contract states that it is safe', () => {
  expect(writeResendable(api)).toContain(String.raw`/(?:\/v1\/lamps)$/`);
  expect(pythonMethods(api)).toContain('Operation("POST", "/v1/lamps", {}, lamp, is_repeatable=True)');
  expect(pythonMethods(api)).toContain('Operation("DELETE", f"/v1/lamps/{in_path(lamp_id)}", {}, is_repeatable=False)');
});

test('two operations with the same method are rejected', () => {
  const lamps = { '/v1/a': { get: { operationId: 'getLamp', responses: {} } } };
  const twice = { '/v1/b': { get: { operationId: 'listLamp', responses: {} } } };
  expect(() => writeMethods({ ...api, paths: { ...lamps, ...twice } })).toThrow('two operations have the method .lamp');
});
