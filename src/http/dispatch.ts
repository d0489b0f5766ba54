import type { ServerResponse } from 'node:http';
import type { Response } from 'express';
import { ProblemError } from '../contract/problem.js';
import type { FailureLimit } from '../limits/failure-limit.js';
import { toRateLimitFields } from '../limits/window-limit.js';
import { atMostEvery } from '../observe/at-most-every.js';
import type {
  AnyInput,
  AnyOperation,
  RunOperation,
  RecordAccess,
  CoreResponse,
  StreamedResponse,
  StreamServices,
  Writer,
} from '../operations/operation.js';
import { countRefusal } from './admit.js';
import { type Exchange, requireCaller, type Route, type Step } from './exchange.js';
import { writtenEvent } from './messages.js';
import type { Refusal } from './refuse.js';

export interface DispatchParts extends StreamServices {
  readonly operate: RunOperation;
  readonly countFailure: FailureLimit;
  readonly recordAccess: RecordAccess;
}

/** An operation with its steps. Its function rejects with a ProblemError if a step rejects the request. */
export type RunnableOperation = ReturnType<typeof createOperation>;

export function createOperation(route: Route, steps: readonly Step[], parts: DispatchParts) {
  const toInput = createToInput(route);
  const { stream, fixed } = route.record;
  if (stream) return { route, stream: createStream(route, steps, toInput, stream, parts) };
  const { operate, countFailure } = parts;
  const json = JSON.stringify(fixed?.body);
  const run = async (exchange: Exchange, response?: Response): Promise<CoreResponse> => {
    try {
      await takeSteps(steps, exchange, response);
      if (fixed) return { status: fixed.status, json };
      return await operate(route.operationId, toInput(exchange), exchange.caller);
    } finally {
      exchange.end?.();
    }
  };
  return {
    route,
    async respond(exchange: Exchange, response?: Response): Promise<CoreResponse> {
      const served = await run(exchange, response);
      const { refusals, tokenRefusals = 0 } = served;
      if (refusals) exchange.refusals?.push(...refusals);
      for (let count = 0; count < tokenRefusals; count += 1)
        countRefusal(new ProblemError('invalid_token'), exchange, countFailure);
      return served;
    },
  };
}

async function takeSteps(steps: readonly Step[], exchange: Exchange, response?: Response): Promise<void> {
  for (const step of steps) {
    const running = step(exchange, response);
    // Steps without I/O are not asynchronous.
    if (running) await running;
  }
}

/** Returns a function that sends the response piece by piece. `begin` sends the head. */
function createStream(
  { operationId }: Route,
  steps: readonly Step[],
  toInput: (exchange: Exchange) => AnyInput,
  stream: NonNullable<AnyOperation['stream']>,
  services: DispatchParts,
) {
  return async (exchange: Exchange, begin: (head: StreamedResponse) => Writer): Promise<void> => {
    await takeSteps(steps, exchange);
    const caller = requireCaller(exchange);
    const input = toInput(exchange);
    // Fails only if the core is closing. The client must not notice it.
    const record = () => void services.recordAccess(operationId, input.whose, caller).catch(() => undefined);
    const onSent = atMostEvery(recordPauseMs, record);
    const streamed = stream(services, { ...input, caller, onSent });
    if (exchange.isHead) begin(streamed).end();
    else await streamed.run(() => begin(streamed));
  };
}

/** Less than the minute of an entry. The core merges the calls of a minute. */
const recordPauseMs = 1_000;

function createToInput({ parameters }: Route): (exchange: Exchange) => AnyInput {
  const names = parameters.filter((it) => it.in === 'header').map(({ name }) => [name, name.toLowerCase()] as const);
  if (names.length === 0) return ({ query, params, body, whose }) => ({ query, params, body, whose });
  return ({ query, params, body, whose, headers }) => {
    const sent = names.map(([name, key]) => [name, headers[key]] as const);
    return { query, params, body, whose, headers: Object.fromEntries(sent.filter(([, value]) => value !== undefined)) };
  };
}

export async function send(operation: RunnableOperation, exchange: Exchange, response: Response): Promise<void> {
  if (operation.stream)
    return operation.stream(exchange, ({ mediaType, isEndless }) => {
      setHeaders(response, toRateLimitFields(exchange.allowances));
      response.setHeader('Content-Type', mediaType);
      response.setHeader('X-Accel-Buffering', 'no');
      if (isEndless) startStream(response);
      return response;
    });
  const { status, json } = await operation.respond(exchange, response);
  response.statusCode = status;
  setHeaders(response, toRateLimitFields(exchange.allowances));
  if (json === undefined) return void response.end();
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  sendText(response, json);
}

export function sendRefusal(response: ServerResponse, { status, headers, problem }: Refusal): void {
  response.statusCode = status;
  setHeaders(response, headers);
  sendText(response, JSON.stringify(problem));
}

function setHeaders(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
  for (const name in headers) response.setHeader(name, headers[name] as string);
}

function sendText(response: ServerResponse, text: string): void {
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text, 'utf8');
}

/**
 * Sends the head of a stream that has no end. Proxies must not buffer or compress it, because they would delay its
 * events.
 */
export function startStream(response: Response): void {
  response.setHeader('X-Accel-Buffering', 'no');
  response.setHeader('Cache-Control', 'no-store, no-transform');
  response.flushHeaders();
  response.emit(writtenEvent);
}
