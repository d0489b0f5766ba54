import type { Request, Response } from 'express';
import type { FailureLimit } from '../limits/failure-limit.js';
import type { AnyInput, AnyOperation, Operate, RecordAccess, StreamServices } from '../operations/operation.js';
import { ProblemError } from '../contract/problem.js';
import { countRefusal } from './authenticate.js';
import type { Middleware } from './in-order.js';
import { sendText, startStream } from './responses.js';
import type { Route } from './route.js';

export interface DispatchParts extends StreamServices {
  readonly operate: Operate;
  readonly countFailure: FailureLimit;
  readonly recordAccess: RecordAccess;
}

/** Runs the operation of the route and sends its response. No other middleware sends a success response. */
export function dispatch(route: Route, parts: DispatchParts): Middleware {
  const { stream } = route.record;
  return stream ? sendStream(route, stream, parts) : sendResponse(route, parts);
}

function sendResponse(route: Route, { operate, countFailure }: DispatchParts): Middleware {
  return async (request, response) => {
    const { caller, refusals: refused } = response.locals;
    const {
      status,
      json,
      refusals,
      tokenRefusals = 0,
    } = await operate(route.operationId, inputOf(route, request, response), caller);
    if (refusals) refused?.push(...refusals);
    for (let count = 0; count < tokenRefusals; count += 1)
      countRefusal(new ProblemError('invalid_token'), request, response, countFailure);
    response.statusCode = status;
    if (json === undefined) response.end();
    else sendText(response, json);
  };
}

function sendStream(route: Route, stream: NonNullable<AnyOperation['stream']>, services: DispatchParts): Middleware {
  return async (request, response) => {
    const { caller, token, isHead } = response.locals;
    if (!caller) throw new Error('a stream requires a caller');
    const input = inputOf(route, request, response);
    const { query, params } = input;
    // Fails only if the core is closing. The client must not notice it.
    const record = () =>
      void services.recordAccess(route.operationId, { query, params }, caller, token?.sessionId).catch(() => undefined);
    const onSent = atMostEvery(recordPauseMs, record);
    const { mediaType, isEndless, run } = stream(services, { ...input, caller, token, onSent });
    const begin = () => {
      response.setHeader('Content-Type', mediaType);
      response.setHeader('X-Accel-Buffering', 'no');
      if (isEndless) startStream(response);
      return response;
    };
    if (isHead) begin().end();
    else await run(begin);
  };
}

/** Less than the minute of an entry. The core merges the calls of a minute. */
const recordPauseMs = 1_000;

/** Returns a function that runs the work unless it ran less than `pauseMs` ago. */
function atMostEvery(pauseMs: number, work: () => void): () => void {
  let ranAtMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() - ranAtMs < pauseMs) return;
    ranAtMs = performance.now();
    work();
  };
}

function inputOf({ parameters }: Route, request: Request, { locals: { params } }: Response): AnyInput {
  const headers: Record<string, string> = {};
  for (const { name, in: place } of parameters) {
    const value = place === 'header' ? request.get(name) : undefined;
    if (value !== undefined) headers[name] = value;
  }
  return { query: request.query, params, body: request.body, headers };
}
