import type { Request, Response } from 'express';
import type { FailureLimit } from '../limits/failure-limit.js';
import type { AnyInput, AnyOperation, Operate, StreamServices } from '../operations/operation.js';
import { ProblemError } from '../problem.js';
import { countRefusal } from './authenticate.js';
import type { Middleware } from './in-order.js';
import { written } from './messages.js';
import { sendText } from './responses.js';
import type { Route } from './route.js';

export interface DispatchParts extends StreamServices {
  readonly operate: Operate;
  readonly countFailure: FailureLimit;
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

function sendStream(route: Route, stream: NonNullable<AnyOperation['stream']>, services: StreamServices): Middleware {
  return async (request, response) => {
    const { caller, token, isHead } = response.locals;
    if (!caller) throw new Error('a stream requires a caller');
    const { mediaType, isEndless, run } = stream(services, { ...inputOf(route, request, response), caller, token });
    const begin = () => {
      response.setHeader('Content-Type', mediaType);
      response.setHeader('X-Accel-Buffering', 'no');
      if (!isEndless) return response;
      response.flushHeaders();
      response.emit(written);
      return response;
    };
    if (isHead) begin().end();
    else await run(begin);
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
