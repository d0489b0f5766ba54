import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { RequestHandler } from 'express';
import { whenSettled } from './when-settled.js';

const tracer = trace.getTracer('realtime-state-service');

/** A span a request, under the caller's where it names one (W3C Trace Context). It holds neither ids of people nor text. */
export const traceRequest: RequestHandler = (request, response, next) => {
  const parent = propagation.extract(context.active(), request.headers);
  const span = tracer.startSpan(request.method, { kind: SpanKind.SERVER }, parent);
  if (!span.isRecording()) return next();
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
  context.with(trace.setSpan(parent, span), next);
};
