import { context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Request, RequestHandler, Response } from 'express';
import { whenSettled } from './when-settled.js';

/** Looked up per span: the SDK registers its tracer through its own copy of this library, after this module is loaded. */
const tracer = () => trace.getTracer('realtime-state-service');

/**
 * Starts one span per request. The span is a child of the caller's span if the request contains one (W3C Trace
 * Context). It contains no text and no ids of people.
 */
export const traceRequest: RequestHandler = (request, response, next) => {
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
