import { randomUUID } from 'node:crypto';
import { context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import type { Middleware } from './in-order.js';
import { whenSettled, whenWritten } from './responses.js';

/** Called after every request. */
export type ObserveRequest = (operation: string | undefined, status: number, seconds: number) => void;

/**
 * Assigns the request id and logs one line per request: operation, status, duration. Never logs the URL, headers or
 * body, because they contain keys, texts and ids of people.
 */
export function requestLog(log: Logger, observe: ObserveRequest): Middleware {
  return (_request, response, next) => {
    const startedAtMs = performance.now();
    const requestId = randomUUID();
    response.locals.requestId = requestId;
    response.locals.logged = { request_id: requestId };
    response.locals.allowances = [];
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

/** Looked up per span: the SDK registers its tracer through its own copy of this library, after this module is loaded. */
const tracer = () => trace.getTracer('realtime-state-service');

/**
 * Starts one span per request. The span is a child of the caller's span if the request contains one (W3C Trace
 * Context). It contains no text and no ids of people.
 */
export const traceRequest: Middleware = (request, response, next) => {
  const parent = propagation.extract(context.active(), request.headers);
  const span = tracer().startSpan(request.method, { kind: SpanKind.SERVER }, parent);
  // The context is also passed on for a request that is not sampled, so that the core does not sample it either.
  if (span.isRecording()) record(request, response, span);
  context.with(trace.setSpan(parent, span), next);
};

function record(request: Request, response: Response, span: Span): void {
  response.locals.logged = { ...response.locals.logged, trace_id: span.spanContext().traceId };
  whenSettled(response, () => {
    const { route, requestId } = response.locals;
    const { method } = request;
    if (route) span.updateName(`${method} ${route.template}`).setAttribute('http.route', route.template);
    span.setAttributes({
      'http.request.method': method,
      'http.response.status_code': response.statusCode,
      'request.id': requestId,
    });
    if (response.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  });
}
