import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { webhookDelivery as settings } from '../../generated/spec.js';
import type { Schema } from '../contract/contract.js';
import { runInSpan } from '../observe/in-span.js';
import type { DueDelivery } from '../store/delivery-queue.js';
import { isManualRetry } from '../store/delivery-row.js';
import type { StoredWebhook } from '../store/webhooks.js';
import { buildCloudEventHeaders } from './cloud-event.js';
import type { Dial } from './dial.js';
import { NameNotResolvedError } from './resolve-name.js';
import { openSecrets, SecretBoxError, buildSignatureHeaders } from './secrets.js';
import { startTimeLimit } from './tasks.js';
import { attemptMs, type WorkerParts } from './worker-parts.js';

/**
 * Creates the function that signs and sends a claimed delivery once. It resolves with undefined if the delivery was not
 * sent or `abort` ended the attempt. The caller then releases the delivery.
 */
export function createSender(
  attempt: Attempt,
  { secretBox, now, publicUrl }: Pick<WorkerParts, 'secretBox' | 'now' | 'publicUrl'>,
  abort: AbortSignal,
) {
  const tryOnce = async (delivery: DueDelivery, webhook: StoredWebhook, atMs: number): Promise<AttemptOutcome> => {
    try {
      const { accountId, deliveryId, payload } = delivery;
      const secrets = openSecrets(secretBox, accountId, webhook, atMs);
      const headers = {
        ...buildSignatureHeaders({ deliveryId, body: payload, atMs, secrets }),
        ...buildCloudEventHeaders(delivery, publicUrl),
      };
      const request = { accountId, url: webhook.url, body: payload, headers };
      return await runInSpan('webhook attempt', 'CLIENT', { 'webhook.id': deliveryId }, () => attempt(request, abort));
    } catch (error) {
      if (error instanceof SecretBoxError) return { error: 'secret_unreadable' };
      throw error;
    }
  };
  return async (
    delivery: DueDelivery,
    webhook: StoredWebhook | undefined,
  ): Promise<Schema<'DeliveryAttempt'> | undefined> => {
    const atMs = now();
    // After a long pause of the process, the lease could expire during the attempt. Another worker would then also send
    // the delivery.
    const isTooLate = atMs + attemptMs > delivery.dueAtMs;
    if (!webhook || isTooLate || abort.aborted) return undefined;
    if (webhook.disabledAtMs !== undefined && !isManualRetry(delivery)) return undefined;
    const startedAtMs = performance.now();
    const outcome = await tryOnce(delivery, webhook, atMs);
    if (abort.aborted && (outcome.status === undefined || outcome.error !== undefined)) return undefined;
    return {
      timestamp: new Date(atMs).toISOString(),
      ...outcome,
      duration_ms: Math.round(performance.now() - startedAtMs),
    };
  };
}

interface WebhookRequest {
  readonly accountId: string;
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends one delivery once. It always resolves: errors of the receiver or the network are part of the outcome. */
type Attempt = (request: WebhookRequest, abort: AbortSignal) => Promise<AttemptOutcome>;

export type AttemptOutcome = Pick<Schema<'DeliveryAttempt'>, 'status' | 'error' | 'answer'>;

interface AttemptParts {
  readonly dial: Dial;
  /** Whether outcomes contain the start of the response body. */
  readonly keepsResponses: boolean;
  /** Time limit for the whole attempt: name lookup, connection, request and response body. */
  readonly timeoutMs: number;
}

/**
 * Creates the function that sends deliveries. It does not follow redirects and reads at most `answer_kept_bytes` of the
 * response body.
 */
export function createAttempt({ dial, keepsResponses, timeoutMs }: AttemptParts): Attempt {
  return async (request, abort) => {
    const limit = startTimeLimit(timeoutMs, abort);
    const nameError = (error: unknown) => (limit.isOver() ? 'timeout' : describeError(error));
    try {
      const response = await respond(dial, request, limit.signal);
      const { text, error } = await readStart(response);
      const answer = keepsResponses && text !== '' ? { answer: text } : {};
      return { status: response.statusCode ?? 0, ...(error !== undefined && { error: nameError(error) }), ...answer };
    } catch (error) {
      return { error: nameError(error) };
    } finally {
      limit.clear();
    }
  };
}

/** Returns true for a complete 2xx response. An incomplete response is a failure, even with status 2xx. */
export function isSuccess({ status = 0, error }: AttemptOutcome): boolean {
  return error === undefined && status >= 200 && status < 300;
}

/** Resolves with the final response. node:http skips informational responses (1xx). */
async function respond(dial: Dial, request: WebhookRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const sending = send(dial(request, signal), request.body);
  try {
    return await readResponse(sending);
  } catch (error) {
    if (!isStale(sending, error)) throw error;
    return readResponse(send(dial(request, signal), request.body));
  }
}

function send(sending: ClientRequest, body: string): ClientRequest {
  // Later errors are reported on the response body.
  return sending.on('error', () => undefined).end(body);
}

async function readResponse(sending: ClientRequest): Promise<IncomingMessage> {
  const [response] = await once(sending, 'response');
  return response;
}

/**
 * Returns true if the receiver closed a keep-alive connection while the request was being sent. This is not a failure
 * of the receiver.
 */
function isStale({ reusedSocket }: ClientRequest, error: unknown): boolean {
  return reusedSocket && ['ECONNRESET', 'EPIPE'].includes((error as { code?: string }).code ?? '');
}

/** Reads the start of the body. Sets `error` if the connection broke before the start was complete. */
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

const timeoutCodes = ['ETIMEDOUT', 'ATTEMPT_TIMEOUT'];

/** Returns the contract's error name for an attempt without a complete response. */
function describeError(error: unknown): NonNullable<Schema<'DeliveryAttempt'>['error']> {
  if (error instanceof NameNotResolvedError) return 'name_not_resolved';
  const codes = listCodes(error);
  if (codes.includes('ADDRESS_REFUSED')) return 'address_refused';
  if (timeoutCodes.some((it) => codes.includes(it))) return 'timeout';
  return /TLS|SSL|CERT|SIGNED|ISSUER|EPROTO|ALTNAME/.test(codes.join(' ')) ? 'tls_failed' : 'connection_failed';
}

/** If all addresses of a name failed, an AggregateError contains their errors. */
function listCodes(error: unknown): string[] {
  const { code = '', errors = [] } = (error ?? {}) as { code?: string; errors?: unknown[] };
  return [String(code), ...errors.flatMap(listCodes)];
}
