import { type Attributes, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

const tracer = trace.getTracer('realtime-state-service');

/** Runs the work in its own trace span. Without a tracer, which is the default, it only runs the work. */
export function inSpan<T>(
  name: string,
  kind: keyof typeof SpanKind,
  attributes: Attributes,
  work: () => Promise<T>,
): Promise<T> {
  return tracer.startActiveSpan(name, { kind: SpanKind[kind], attributes }, async (span) => {
    try {
      return await work();
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
