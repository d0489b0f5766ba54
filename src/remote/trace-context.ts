import { context, propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api';

/** The headers of W3C Trace Context: `traceparent` and `tracestate`. */
export type TraceHeaders = Readonly<Record<string, string>>;

/** Returns the active trace as plain data. Undefined outside of a trace. */
export function activeTrace(): TraceHeaders | undefined {
  if (!trace.getActiveSpan()) return undefined;
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers);
  return headers;
}

/** Runs the work as part of the caller's trace if `headers` contain one. */
export function inTrace<T>(headers: TraceHeaders | undefined, work: () => T): T {
  return headers ? context.with(propagation.extract(ROOT_CONTEXT, headers), work) : work();
}
