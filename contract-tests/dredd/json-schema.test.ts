import { expect, test } from 'vitest';
import { toJsonSchema } from './json-schema.js';

const schemas = {
  Label: { type: 'string', enum: ['calm', 'tense'], example: 'calm', 'x-unit': 'none' },
  List: { type: 'array', items: { $ref: '#/components/schemas/Label' } },
  Tree: { type: 'object', properties: { child: { $ref: '#/components/schemas/Tree' } } },
};
const contract = { components: { schemas } };

test('references are inlined and keywords that JSON Schema does not define are removed', () => {
  expect(toJsonSchema(contract, { $ref: '#/components/schemas/List' })).toEqual({
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'array',
    items: { type: 'string', enum: ['calm', 'tense'] },
  });
});

test('a property may have the name of a removed keyword', () => {
  const schema = { type: 'object', additionalProperties: false, properties: { example: { type: 'string' } } };
  expect(toJsonSchema(contract, schema)).toMatchObject(schema);
});

test('nullable and exclusive bounds are converted to equivalent draft-07 keywords', () => {
  const schema = { type: 'number', nullable: true, minimum: 0, exclusiveMinimum: true, exclusiveMaximum: false };
  expect(toJsonSchema(contract, schema)).toMatchObject({
    anyOf: [{ type: 'number', minimum: 0, exclusiveMinimum: 0 }, { type: 'null' }],
  });
});

test('a recursive schema is rejected', () => {
  expect(() => toJsonSchema(contract, { $ref: '#/components/schemas/Tree' })).toThrow('contains itself');
});

test('an unresolvable reference is rejected', () => {
  expect(() => toJsonSchema(contract, { $ref: '#/components/schemas/Nothing' })).toThrow('has no target');
});
