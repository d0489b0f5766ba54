import type { RequestHandler } from 'express';
import { operationScopes } from '../../generated/spec.js';
import type { Scope } from '../contract.js';
import { ProblemError } from '../problem.js';

const scopeOf: Readonly<Record<string, Scope>> = operationScopes;

/** Rejects a key without the scope of the operation (403). The error names the scope. */
export const requireScope: RequestHandler = (_request, response, next) => {
  const { route, scopes } = response.locals;
  const scope = route && scopeOf[route.operationId];
  if (scope !== undefined && !scopes?.has(scope)) throw new ProblemError('insufficient_scope', { values: { scope } });
  next();
};
