import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { whenWritten, whenSettled } from './when-settled.js';

/** Called after every request. */
export type ObserveRequest = (operation: string | undefined, status: number, seconds: number) => void;

/**
 * Assigns the request id and logs one line per request: operation, status, duration. Never logs the URL, headers or
 * body, because they contain keys, texts and ids of people.
 */
export function requestLog(log: Logger, observe: ObserveRequest): RequestHandler {
  return (_request, response, next) => {
    const startedAtMs = performance.now();
    const requestId = randomUUID();
    response.locals.requestId = requestId;
    response.locals.logged = { request_id: requestId };
    response.set('X-Request-Id', requestId);
    let durationMs = 0;
    whenWritten(response, () => (durationMs = performance.now() - startedAtMs));
    whenSettled(response, () => {
      const operation = response.locals.route?.operationId;
      const status = response.statusCode;
      const line = {
        ...response.locals.logged,
        operation,
        status,
        duration_ms: Math.round(durationMs * 10) / 10,
        ...(!response.writableFinished && { aborted: true }),
      };
      // Public operations are logged at debug level, because probes are sent every few seconds.
      log[response.locals.isPublic && status < 500 ? 'debug' : 'info'](line, 'request');
      observe(operation, status, durationMs / 1000);
    });
    next();
  };
}
