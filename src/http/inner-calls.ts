import { EventEmitter } from 'node:events';
import { context } from '@opentelemetry/api';
import type { Response } from 'express';
import type { OperationId } from '../contract/contract.js';
import type { Writer } from '../operations/operation.js';
import type { OperationRequest, OperationResponse } from './call-tool.js';
import type { RunnableOperation } from './dispatch.js';
import { Exchange } from './exchange.js';
import { whenSettled } from './messages.js';
import type { Observation } from './observe.js';
import type { Refusal, Refuse } from './refuse.js';

export interface StreamListener {
  readonly write: (text: string) => void;
  /** Called when the stream ends, also if it is refused. */
  readonly end: () => void;
}

export type InnerCalls = ReturnType<typeof createInnerCalls>;

/**
 * Returns functions that call operations inside the process, as the caller of `origin`. The request of `origin` was
 * authenticated, admitted and counted, so a call is not. It runs all steps of the operation, and has its own log line,
 * metrics and span.
 */
export function createInnerCalls(
  operations: ReadonlyMap<OperationId, RunnableOperation>,
  { begin, end }: Observation,
  refuse: Refuse,
) {
  function prepare(origin: Exchange, { definition, params, query, body }: OperationRequest) {
    const operation = operations.get(definition.operationId) as RunnableOperation;
    const exchange = new Exchange(definition.method, { 'content-type': definition.body?.mediaType });
    const { caller, address } = origin;
    Object.assign(exchange, { route: operation.route, params, query, body, caller, address });
    return { operation, exchange };
  }

  return {
    respond(origin: Exchange, request: OperationRequest): Promise<OperationResponse> {
      const { operation, exchange } = prepare(origin, request);
      return context.with(begin(exchange, {}), async () => {
        const response = await respond(operation, exchange, refuse);
        end(exchange, { status: response.status, durationMs: elapsedMs(exchange), isAborted: false });
        return response;
      });
    },
    /**
     * Opens a stream that follows `connection`: it waits while the client does not read, and ends with the connection.
     * Resolves with undefined when the stream is open, and with the refusal if the operation rejects it.
     */
    stream(
      origin: Exchange,
      request: OperationRequest,
      connection: Response,
      listener: StreamListener,
    ): Promise<Refusal | undefined> {
      const { operation, exchange } = prepare(origin, request);
      // Before the writer, which ends the observation at once if the connection is already closed.
      const observed = begin(exchange, {});
      let durationMs = 0;
      let isEnded = false;
      const finish = (status: number, isAborted: boolean) => {
        if (isEnded) return;
        isEnded = true;
        end(exchange, { status, durationMs: durationMs || elapsedMs(exchange), isAborted });
        listener.end();
      };
      const writer = createWriter(connection, listener.write, (isAborted) => finish(200, isAborted));
      return context.with(observed, async () => {
        try {
          await operation.stream?.(exchange, () => {
            durationMs = elapsedMs(exchange);
            return writer;
          });
          return undefined;
        } catch (error) {
          const refusal = refuse(error, exchange);
          finish(refusal.status, false);
          return { ...refusal, headers: { ...refusal.headers, 'X-Request-Id': exchange.requestId } };
        }
      });
    },
  };
}

async function respond(operation: RunnableOperation, exchange: Exchange, refuse: Refuse): Promise<OperationResponse> {
  try {
    if (!operation.respond) throw new Error('no tool has a streamed response');
    const { status, json = 'null' } = await operation.respond(exchange);
    return { status, retryAfter: undefined, body: JSON.parse(json) };
  } catch (error) {
    const { status, headers, problem } = refuse(error, exchange);
    return { status, retryAfter: headers['Retry-After'], body: problem };
  }
}

function elapsedMs({ startedAtMs }: Exchange): number {
  return performance.now() - startedAtMs;
}

/** Returns a writer that follows a connection. Calls `onEnd` at the end: with true if the connection ended first. */
function createWriter(
  connection: Response,
  write: (text: string) => void,
  onEnd: (isAborted: boolean) => void,
): Writer {
  const events = new EventEmitter();
  let isAborted = true;
  events.once('close', () => onEnd(isAborted));
  connection.on('drain', () => events.emit('drain'));
  whenSettled(connection, () => events.emit('close'));
  return {
    get destroyed() {
      return connection.destroyed;
    },
    get writableNeedDrain() {
      return connection.writableNeedDrain;
    },
    write,
    once: (event, act) => events.once(event, act),
    off: (event, act) => events.off(event, act),
    end() {
      isAborted = false;
      events.emit('close');
    },
    destroy: () => connection.destroy(),
  };
}
