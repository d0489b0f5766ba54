import Ajv, { type ValidateFunction } from 'ajv-draft-04';
import formats from 'ajv-formats';
import type { OperationId } from '../contract/contract.js';
import type { Definition } from '../contract/definitions.js';
import { findSchema } from './validator.js';

/**
 * Returns a function that says whether a body matches the schema of its operation, as express-openapi-validator says it, and
 * changes nothing. It compiles a schema at its first use.
 */
export function createIsValidBody(): (definition: Definition, body: unknown) => boolean {
  const ajv = new Ajv.default({ strict: false, strictNumbers: true, validateSchema: false });
  formats.default(ajv, { mode: 'full' });
  const compiled = new Map<OperationId, ValidateFunction>();
  return ({ operationId, body: content }, body) => {
    if (!content) return false;
    const isValid = compiled.get(operationId) ?? ajv.compile(findSchema(content.schema));
    compiled.set(operationId, isValid);
    return isValid(body);
  };
}
