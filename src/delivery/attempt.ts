import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { webhookDelivery as settings } from '../../generated/spec.js';
import type { Schema } from '../contract.js';
import type { Dial } from './dial.js';
import { errorOf } from './error-of.js';
import { startTimeLimit } from './time-limit.js';

export interface Request {
  readonly accountId: string;
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends one delivery once. It always resolves with an outcome: any error is the receiver's or the network's. */
export type Attempt = (request: Request, abort: AbortSignal) => Promise<Outcome>;

export type Outcome = Pick<Schema<'DeliveryAttempt'>, 'status' | 'error' | 'answer'>;

export interface AttemptParts {
  readonly dial: Dial;
  /** Whether outcomes contain the start of the response body. */
  readonly keepsAnswers: boolean;
  /** The limit for the whole attempt: name lookup, connection, request and response body. */
  readonly timeoutMs: number;
}

/** Redirects are not followed. At most `answer_kept_bytes` of the response body are read. */
export function createAttempt({ dial, keepsAnswers, timeoutMs }: AttemptParts): Attempt {
  return async (request, abort) => {
    const limit = startTimeLimit(timeoutMs, abort);
    const nameError = (error: unknown) => (limit.isOver() ? 'timeout' : errorOf(error));
    try {
      const response = await respond(dial, request, limit.signal);
      const { text, error } = await readStart(response);
      const answer = keepsAnswers && text !== '' ? { answer: text } : {};
      return { status: response.statusCode ?? 0, ...(error !== undefined && { error: nameError(error) }), ...answer };
    } catch (error) {
      return { error: nameError(error) };
    } finally {
      limit.clear();
    }
  };
}

/** A response that broke off or stalled is a failed attempt, whatever its status. */
export function isSuccess({ status = 0, error }: Outcome): boolean {
  return error === undefined && status >= 200 && status < 300;
}

/** Informational responses (1xx) are skipped by node:http. */
async function respond(dial: Dial, request: Request, signal: AbortSignal): Promise<IncomingMessage> {
  const sending = send(dial(request, signal), request.body);
  try {
    return await responseOf(sending);
  } catch (error) {
    if (!isStale(sending, error)) throw error;
    return responseOf(send(dial(request, signal), request.body));
  }
}

function send(sending: ClientRequest, body: string): ClientRequest {
  // The body of the response reports errors after its head.
  return sending.on('error', () => undefined).end(body);
}

async function responseOf(sending: ClientRequest): Promise<IncomingMessage> {
  const [response] = await once(sending, 'response');
  return response;
}

/** The receiver closed a kept connection while the request was on its way: this says nothing about the receiver. */
function isStale({ reusedSocket }: ClientRequest, error: unknown): boolean {
  return reusedSocket && ['ECONNRESET', 'EPIPE'].includes((error as { code?: string }).code ?? '');
}

/** Reads the kept part of the body. `error` is set when the body ended neither properly nor beyond the kept part. */
async function readStart(response: IncomingMessage): Promise<{ text: string; error?: unknown }> {
  const parts: Buffer[] = [];
  let length = 0;
  const text = () => new TextDecoder().decode(Buffer.concat(parts).subarray(0, settings.answer_kept_bytes));
  try {
    for await (const part of response) {
      parts.push(part);
      length += part.length;
      // Leaving the loop closes the connection.
      if (length >= settings.answer_kept_bytes) break;
    }
    return { text: text() };
  } catch (error) {
    return { text: text(), error };
  }
}
