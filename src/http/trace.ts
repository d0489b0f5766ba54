import { context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Request, RequestHandler, Response } from 'express';
import { whenSettled } from './when-settled.js';

const tracer = trace.getTracer('realtime-state-service');

/**
 * Starts one span per request, as a child of the caller's span if the request has one (W3C Trace Context). The span
 * contains no ids of people and no text.
 */
export const traceRequest: RequestHandler = (request, response, next) => {
  const parent = propagation.extract(context.active(), request.headers);
  const span = tracer.startSpan(request.method, { kind: SpanKind.SERVER }, parent);
  // A request that is not sampled also passes its context on, so that the core does not sample it either.
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
