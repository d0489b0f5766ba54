import type { NextFunction, Request, RequestHandler, Response } from 'express';

/** As Express takes it, and as it may also be written: with a promise, whose rejection is an error. */
export type Step = (request: Request, response: Response, next: NextFunction) => unknown;

/**
 * The steps as one: each goes on to the next, an error leaves at once. Express would match every one of them against
 * the path again, which costs as much as the steps do.
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
