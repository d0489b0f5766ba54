import type { NextFunction, Request, RequestHandler, Response } from 'express';

/**
 * An Express handler that may also return a promise. If the promise rejects, the error is passed to the error handler.
 */
export type Middleware = (request: Request, response: Response, next: NextFunction) => unknown;

/**
 * Combines middleware into one handler. Each middleware calls the next one. An error skips the rest.
 *
 * Express would match the path again for each middleware, which costs as much as the middleware itself.
 */
export function inOrder(chain: readonly Middleware[]): RequestHandler {
  return (request, response, done) => {
    const runFrom = (index: number): void => {
      const current = chain[index];
      if (!current) return done();
      const next = (error?: unknown) => (error === undefined ? runFrom(index + 1) : done(error));
      try {
        const running = current(request, response, next);
        if (running instanceof Promise) running.catch(next);
      } catch (thrown) {
        next(thrown);
      }
    };
    runFrom(0);
  };
}
