import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Context, context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Logger } from 'pino';
import type { Exchange } from './exchange.js';
import type { LoadSums } from '../limits/load-sums.js';
import { whenSettled, whenWritten } from './messages.js';

export type ObserveRequest = (operation: string | undefined, status: number, seconds: number) => void;

interface Outcome {
  readonly status: number;
  readonly durationMs: number;
  /** True if the client disconnected before the end of the response. */
  readonly isAborted: boolean;
}

/** Looked up per span: the SDK registers its tracer through its own copy of this library, after this module is loaded. */
const tracer = () => trace.getTracer('realtime-state-service');

export type Observation = ReturnType<typeof createObservation>;

/**
 * Creates the observation of requests: their log lines, metrics and spans.
 *
 * Logs one line per request: account, key, operation, status, duration. Never logs the URL, headers or body, because they
 * contain keys, texts and ids of people.
 */
export function createObservation(log: Logger, observe: ObserveRequest, load: LoadSums) {
  /** Bytes of each connection that are counted. */
  const counted = new WeakMap<Socket, number>();
  return {
    /**
     * Starts the span of a request. Returns the context to run the request in. The span is a child of the caller's span if
     * the headers contain one (W3C Trace Context). It contains no text and no ids of people.
     */
    begin(exchange: Exchange, headers: IncomingHttpHeaders): Context {
      const parent = propagation.extract(context.active(), headers);
      const span = tracer().startSpan(exchange.method, { kind: SpanKind.SERVER }, parent);
      if (span.isRecording()) {
        exchange.span = span;
        exchange.logged = { ...exchange.logged, trace_id: span.spanContext().traceId };
      }
      // The context is also passed on for a request that is not sampled, so that the core does not sample it either.
      return trace.setSpan(parent, span);
    },
    /** Counts the bytes of a connection since its last request. Those of a stream count when it ends. */
    countBytes({ caller }: Exchange, socket: Socket): void {
      const total = socket.bytesRead + socket.bytesWritten;
      if (caller) load.add(caller.accountId, { bytes: total - (counted.get(socket) ?? 0) });
      counted.set(socket, total);
    },
    /** Must be called exactly once per request. */
    end(exchange: Exchange, { status, durationMs, isAborted }: Outcome): void {
      const operation = exchange.route?.operationId;
      const line = {
        ...exchange.describe(),
        operation,
        status,
        duration_ms: Math.round(durationMs * 10) / 10,
        ...(isAborted && { aborted: true }),
      };
      // Public operations are logged at debug level, because probes are sent every few seconds.
      log[exchange.isPublic && status < 500 ? 'debug' : 'info'](line, 'request');
      observe(operation, status, durationMs / 1000);
      if (exchange.span) endSpan(exchange, status);
    },
  };
}

/** Ends the observation of an HTTP request when its response settles. The duration ends when the response is written. */
export function observeResponse({ end, countBytes }: Observation, exchange: Exchange, response: ServerResponse): void {
  const { socket } = response.req;
  let [durationMs, isWritten] = [0, false];
  whenWritten(response, () => {
    durationMs = performance.now() - exchange.startedAtMs;
    // A client may close the connection after a complete response whose request has an unread body.
    isWritten = !response.destroyed;
  });
  whenSettled(response, () => {
    const isAborted = !isWritten && !response.writableFinished;
    end(exchange, { status: response.statusCode, durationMs, isAborted });
    countBytes(exchange, socket);
  });
}

function endSpan({ span, route, method, requestId }: Exchange, status: number): void {
  if (route) span?.updateName(`${method} ${route.template}`).setAttribute('http.route', route.template);
  span?.setAttributes({
    'http.request.method': method,
    'http.response.status_code': status,
    'request.id': requestId,
  });
  if (status >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
  span?.end();
}
