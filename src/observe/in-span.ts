import {
  type Attributes,
  type Context,
  context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  trace,
  TraceFlags,
} from '@opentelemetry/api';

/** Looked up per span: the SDK registers its tracer through its own copy of this library, after this module is loaded. */
const tracer = () => trace.getTracer('realtime-state-service');

/** Runs the work in a new trace span. Without a tracer, which is the default, only runs the work. */
export function runInSpan<T>(
  name: string,
  kind: keyof typeof SpanKind,
  attributes: Attributes,
  work: () => Promise<T>,
): Promise<T> {
  const options: SpanOptions = { kind: SpanKind[kind], attributes };
  return tracer().startActiveSpan(name, options, (span) => finish(span, work));
}

export type TraceOrigin = Context;

export const traceOrigin = (): TraceOrigin => context.active();

/**
 * Runs work for several requests in one span. The span is a child of the first sampled request, and links to the other
 * requests.
 */
export function runInSharedSpan<T>(
  name: string,
  attributes: Attributes,
  origins: readonly TraceOrigin[],
  work: () => Promise<T>,
): Promise<T> {
  const [parent = origins[0] ?? ROOT_CONTEXT, ...others] = origins.filter(isSampled);
  const options: SpanOptions = { kind: SpanKind.INTERNAL, attributes, links: others.flatMap(linkTo) };
  return tracer().startActiveSpan(name, options, parent, (span) => finish(span, work));
}

function isSampled(origin: TraceOrigin): boolean {
  const flags = trace.getSpanContext(origin)?.traceFlags ?? TraceFlags.NONE;
  return (flags & TraceFlags.SAMPLED) !== 0;
}

function linkTo(origin: TraceOrigin): Link[] {
  const spanContext = trace.getSpanContext(origin);
  return spanContext ? [{ context: spanContext }] : [];
}

async function finish<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}
