import type { Request } from 'express';
import type { OperationId } from '../contract.js';
import type { Route } from './route.js';

const sessionNamedBy: { readonly [Op in OperationId]?: (request: Request) => string | undefined } = {
  ingest: ({ body }) => body.session_id,
  getState: ({ query }) => String(query['session_id']),
  getHistory: ({ query }) => String(query['session_id']),
  // An export by subject has no session. A token without session_id exports its own session.
  exportReadings: ({ query, res }) =>
    query['subject_id'] === undefined
      ? ((query['session_id'] as string | undefined) ?? res?.locals.token?.sessionId)
      : undefined,
};

/**
 * Returns the session that a valid request reads or writes. Undefined for operations that do not concern exactly one
 * session.
 */
export function sessionOf(request: Request, route: Route | undefined): string | undefined {
  return route && sessionNamedBy[route.operationId]?.(request);
}
