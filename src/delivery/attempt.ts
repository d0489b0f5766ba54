import type { Agent } from 'undici';
import { webhookDelivery as settings } from '../../generated/spec.js';
import type { Schema } from '../contract.js';

export interface Request {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Its result is always an outcome: whatever goes wrong is the receiver's, or the way to it. */
export type Attempt = (request: Request, abort: AbortSignal) => Promise<Outcome>;

export type Outcome = Pick<Schema<'DeliveryAttempt'>, 'status' | 'error' | 'answer'>;

const sent = { 'Content-Type': 'application/json', 'User-Agent': 'realtime-state-service' };

/** Sends one delivery once. Redirects are not followed; of the answer no more is read than is kept. */
export function createAttempt(askAgent: () => Promise<Agent>): Attempt {
  return async ({ url, body, headers }, abort) => {
    const signal = AbortSignal.any([abort, AbortSignal.timeout(settings.attempt_timeout_seconds * 1000)]);
    try {
      const init = { method: 'POST', body, headers: { ...sent, ...headers }, redirect: 'manual', signal } as const;
      // The types of Node's own fetch name the dispatcher of another version of the package.
      const response = await fetch(url, { ...init, dispatcher: (await askAgent()) as never });
      const answer = await readStart(response.body);
      return { status: response.status, ...(answer !== '' && { answer }) };
    } catch (error) {
      return { error: errorOf(error) };
    }
  };
}

export function isSuccess({ status = 0 }: Outcome): boolean {
  return status >= 200 && status < 300;
}

/** Up to so many bytes as are kept; what has come counts when the rest breaks off or takes too long. */
async function readStart(body: Response['body']): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const part of body ?? []) {
      parts.push(part);
      length += part.length;
      // Leaving the loop lets the rest go.
      if (length >= settings.answer_kept_bytes) break;
    }
  } catch {
    // The status decides, and that is known.
  }
  return new TextDecoder().decode(Buffer.concat(parts).subarray(0, settings.answer_kept_bytes));
}

const nameErrors = ['ENOTFOUND', 'EAI_AGAIN', 'EAI_NODATA', 'EAI_NONAME', 'ENODATA'];
const timeoutErrors = ['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT'];

function errorOf(error: unknown): Schema<'DeliveryError'> {
  const { name, cause } = error as Error;
  const code = codesOf(cause ?? error).join(' ');
  if (code.includes('ADDRESS_REFUSED')) return 'address_refused';
  if (name === 'TimeoutError' || timeoutErrors.some((it) => code.includes(it))) return 'timeout';
  if (nameErrors.some((it) => code.includes(it))) return 'name_not_resolved';
  return /TLS|SSL|CERT|SIGNED|ISSUER|EPROTO|ALTNAME/.test(code) ? 'tls_failed' : 'connection_failed';
}

/** Several addresses that failed come as one error that holds theirs. */
function codesOf(error: unknown): string[] {
  const { code = '', errors = [] } = (error ?? {}) as { code?: string; errors?: unknown[] };
  return [String(code), ...errors.flatMap(codesOf)];
}
