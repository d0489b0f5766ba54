import type { RequestHandler } from 'express';
import type { OperationId } from '../contract.js';
import { ProblemError } from '../problem.js';
import type { ContractDocument, OperationObject } from './contract-document.js';

/** What the contract says about the path and method of a request. */
export interface Route {
  readonly operationId: OperationId;
  readonly operation: OperationObject;
  /** The path as the contract writes it; safe to log, for it holds no ids. */
  readonly template: string;
  readonly isPublic: boolean;
}

type Methods = ReadonlyMap<string, Route>;

export type Router = (method: string, path: string) => { readonly route?: Route; readonly methods?: Methods };

/** Finds the operation of a request in the contract; a path that it does not name exactly is unknown. */
export function createRouter({ paths }: ContractDocument): Router {
  const table = new Map<string, Methods>();
  for (const [template, operations] of Object.entries(paths)) table.set(template, methodsOf(template, operations));
  return (method, path) => {
    const methods = table.get(path);
    const route = methods?.get(method);
    return { ...(route && { route }), ...(methods && { methods }) };
  };
}

/** HEAD answers as GET: Node leaves the body out by itself. */
export function route(router: Router): RequestHandler {
  return (request, response, next) => {
    if (request.method === 'HEAD') request.method = 'GET';
    const found = router(request.method, request.path);
    response.locals.route = found.route;
    response.locals.isPublic = found.methods !== undefined && [...found.methods.values()].every((it) => it.isPublic);
    response.locals.methods = found.methods;
    next();
  };
}

/** 404 and 405, once the caller is known. */
export const requireRoute: RequestHandler = (_request, response, next) => {
  const { route, methods } = response.locals;
  if (route) return next();
  if (!methods) throw new ProblemError('path_not_found');
  response.set('Allow', allowed([...methods.keys()]));
  throw new ProblemError('method_not_allowed');
};

function methodsOf(template: string, operations: Readonly<Record<string, OperationObject>>): Methods {
  return new Map(
    Object.entries(operations).map(([method, operation]) => [
      method.toUpperCase(),
      { operationId: operation.operationId, operation, template, isPublic: operation.security?.length === 0 },
    ]),
  );
}

function allowed(methods: readonly string[]): string {
  return methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
}
