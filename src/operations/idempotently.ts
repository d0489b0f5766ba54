import { hash, randomBytes } from 'node:crypto';
import { idempotency as settings } from '../../generated/spec.js';
import type { Grant } from '../contract/grant.js';
import { createFault, ProblemError } from '../contract/problem.js';
import { type ClaimOutcome, type IdempotencyClaim, createIdempotencyKeyTable } from '../store/idempotency-keys.js';
import type { WriteScope } from '../store/scope.js';
import type { Services } from './operation.js';

/** A request that a client may send with an Idempotency-Key. */
interface IdempotentRequest {
  readonly operationId: string;
  /** Value of the Idempotency-Key header. Undefined if the header is absent. */
  readonly key: string | undefined;
  /** Parameters and body fields. A resend must have the same content as the first request. */
  readonly content: Readonly<Record<string, unknown>>;
}

interface OperationResponse {
  readonly status: number;
  readonly body: object & { readonly id?: string; readonly secret?: string };
}

/** The work of the request. `prepare` runs outside the transaction, `write` inside. */
interface IdempotentWork<R extends OperationResponse> {
  readonly prepare?: () => Promise<void>;
  readonly write: (scope: WriteScope) => Promise<R>;
}

/**
 * Runs a request once per Idempotency-Key and returns the stored response for a resend. The response is stored in the
 * transaction of the work, so a crash leaves both or neither.
 *
 * Throws idempotency_key_in_use while the first request runs, and idempotency_key_reused for a different request.
 */
export async function runIdempotently<R extends OperationResponse>(
  { store, secretBox, now }: Pick<Services, 'store' | 'secretBox' | 'now'>,
  { accountId }: Grant,
  { operationId, key, content }: IdempotentRequest,
  { prepare, write }: IdempotentWork<R>,
): Promise<R> {
  if (key === undefined) {
    await prepare?.();
    return store.transact((scopeOf) => write(scopeOf(accountId)));
  }
  const claim = toClaim(operationId, key, content, now());
  const place = `${accountId} idempotency ${claim.keyDigest}`;
  const outcome = await store.transact(async (scopeOf) => {
    const idempotencyKeys = createIdempotencyKeyTable(scopeOf(accountId));
    const claimed = await idempotencyKeys.claim(claim);
    if (claimed.kind === 'claimed') await idempotencyKeys.deleteExcess(settings.keys_max);
    return claimed;
  });
  if (outcome.kind === 'completed') return openResponse<R>(outcome, now(), (sealed) => secretBox.open(sealed, place));
  if (outcome.kind !== 'claimed') throw refusal(outcome.kind);
  try {
    await prepare?.();
    return await store.transact(async (scopeOf) => {
      const scope = scopeOf(accountId);
      const response = await write(scope);
      const sealed = sealResponse(response, (text) => secretBox.seal(text, place));
      const isStored = await createIdempotencyKeyTable(scope).complete(claim, sealed, response.body.id);
      if (!isStored) throw refusal('in_progress');
      return response;
    });
  } catch (error) {
    // Ignores errors, because a claim that is not released expires.
    await store
      .transact((scopeOf) => createIdempotencyKeyTable(scopeOf(accountId)).release(claim))
      .catch(() => undefined);
    throw error;
  }
}

/** Returns the claim of a request with a key. Each call creates a new random owner. */
export function toClaim(
  operationId: string,
  key: string,
  content: IdempotentRequest['content'],
  nowMs: number,
): IdempotencyClaim {
  // The draft standard requires a quoted string, but many clients send plain text.
  const plain = key.replace(/^"(.*)"$/, '$1');
  const sorted = Object.entries(content).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    keyDigest: hash('sha256', plain),
    requestDigest: hash('sha256', JSON.stringify([operationId, sorted])),
    owner: randomBytes(8).toString('hex'),
    nowMs,
  };
}

function sealResponse({ status, body }: OperationResponse, seal: (text: string) => string) {
  const { secret, ...rest } = body;
  return {
    response: seal(JSON.stringify({ status, body: rest })),
    secret: secret === undefined ? null : seal(secret),
  };
}

function openResponse<R extends OperationResponse>(
  { response, secret, createdAtMs }: Extract<ClaimOutcome, { kind: 'completed' }>,
  nowMs: number,
  open: (sealed: string) => string,
): R {
  const opened = JSON.parse(open(response)) as R;
  const isSecretKept = secret !== null && nowMs < createdAtMs + settings.secret_minutes * 60_000;
  return isSecretKept ? { ...opened, body: { ...opened.body, secret: open(secret) } } : opened;
}

function refusal(kind: 'in_progress' | 'reused'): ProblemError {
  if (kind === 'in_progress') return new ProblemError('idempotency_key_in_use');
  const faults = [createFault('idempotency_key_reused', { parameter: 'Idempotency-Key' })];
  return new ProblemError('idempotency_key_reused', { faults });
}
