import type { NextFunction, Request, RequestHandler, Response } from 'express';

/** An Express handler that may also return a promise. A rejection is passed on as an error. */
export type Step = (request: Request, response: Response, next: NextFunction) => unknown;

/**
 * Combines the steps into one handler. Each step calls the next one; an error skips the rest. Express would match the
 * path again for each step, which costs as much as the steps themselves.
 */
export function inOrder(steps: readonly Step[]): RequestHandler {
  return (request, response, done) => {
    const goOn = (index: number): void => {
      const step = steps[index];
      if (!step) return done();
      const next = (error?: unknown) => (error === undefined ? goOn(index + 1) : done(error));
      try {
        const running = step(request, response, next);
        if (running instanceof Promise) running.catch(next);
      } catch (thrown) {
        next(thrown);
      }
    };
    goOn(0);
  };
}
