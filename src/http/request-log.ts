import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';

/**
 * Names the request and logs its outcome in one line: operation, status, duration. Neither URL nor headers nor body:
 * they hold ids of people, keys and text.
 */
export function requestLog(log: Logger): RequestHandler {
  return (_request, response, next) => {
    const startedAtMs = performance.now();
    const requestId = randomUUID();
    response.locals.requestId = requestId;
    response.locals.log = log.child({ request_id: requestId });
    response.set('X-Request-Id', requestId);
    response.once('close', () => {
      const outcome = {
        operation: response.locals.route?.operationId,
        status: response.statusCode,
        duration_ms: Math.round((performance.now() - startedAtMs) * 10) / 10,
        ...(!response.writableFinished && { aborted: true }),
      };
      response.locals.log.info(outcome, 'request');
    });
    next();
  };
}
