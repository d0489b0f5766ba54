import type { Knex } from 'knex';
import { idempotency as settings } from '../../generated/spec.js';
import type { ReadScope } from './scope.js';

const hourMs = 60 * 60 * 1000;

/** A request with an Idempotency-Key. Only one process at a time may run it. */
export interface IdempotencyClaim {
  /** SHA-256 of the key, 64 hex characters. */
  readonly keyDigest: string;
  /** SHA-256 of the request, 64 hex characters. */
  readonly requestDigest: string;
  /** Random id of the claim, 16 hex characters. */
  readonly owner: string;
  readonly nowMs: number;
}

/** A stored response, sealed. The secret is stored separately, because the secret is deleted earlier. */
export interface SealedResponse {
  readonly response: string;
  readonly secret: string | null;
}

/** Result of a claim. If the kind is `claimed`, the caller must run the request. */
export type ClaimOutcome =
  | { readonly kind: 'claimed' | 'in_progress' | 'reused' }
  | ({ readonly kind: 'completed'; readonly createdAtMs: number } & SealedResponse);

const inProgress: ClaimOutcome = { kind: 'in_progress' };

interface Row {
  readonly request_digest: string;
  readonly owner: string;
  readonly lease_until_ms: number;
  readonly session_id: string | null;
  readonly subject_id: string | null;
  readonly response: string | null;
  readonly secret: string | null;
  readonly created_at_ms: number;
}

/** Idempotency keys of one account, for use in a transaction. */
export function createIdempotencyKeyTable({ knex, accountId }: ReadScope) {
  const mine = () => knex('idempotency_keys').where({ account_id: accountId });
  const held = ({ keyDigest, owner }: IdempotencyClaim) => mine().where({ key_digest: keyDigest, owner });
  const findWatched = (webhook_id: string): Promise<Pick<Row, 'session_id' | 'subject_id'> | undefined> =>
    knex('webhooks').where({ account_id: accountId, webhook_id }).first('session_id', 'subject_id');

  return {
    /**
     * Claims a new key, or a key whose claim has expired. Uses compare-and-set without locks, because concurrent
     * locking reads of one key cause deadlocks on MySQL.
     */
    async claim(claim: IdempotencyClaim): Promise<ClaimOutcome> {
      const { keyDigest, owner } = claim;
      const find = (): Promise<Row | undefined> => mine().where({ key_digest: keyDigest }).first();
      const fresh = freshRow(claim);
      const row = { account_id: accountId, key_digest: keyDigest, ...fresh };
      if (!(await find())) await knex('idempotency_keys').insert(row).onConflict(['account_id', 'key_digest']).ignore();
      const found = await find();
      const outcome = found ? judge(found, claim) : inProgress;
      if (outcome.kind !== 'claimed' || found?.owner === owner) return outcome;
      const isTaken = await mine().where({ key_digest: keyDigest, owner: found?.owner }).update(fresh);
      return isTaken > 0 ? outcome : inProgress;
    },

    /**
     * Stores the response. Returns false if the claim has expired and another process holds the key. `webhookId` is the
     * webhook in the response: its session and subject let an erasure find the response after the webhook is removed.
     */
    async complete(
      claim: IdempotencyClaim,
      { response, secret }: SealedResponse,
      webhookId?: string,
    ): Promise<boolean> {
      const named = webhookId === undefined ? {} : await findWatched(webhookId);
      return (
        (await held(claim)
          .whereNull('response')
          .update({ response, secret, ...named })) > 0
      );
    },

    async release(claim: IdempotencyClaim): Promise<void> {
      await held(claim).whereNull('response').delete();
    },

    /** Deletes all but the newest keys of the account. */
    async deleteExcess(max: number): Promise<void> {
      const newest = mine().select('created_at_ms').orderBy('created_at_ms', 'desc');
      const excess = await newest.offset(max).first();
      if (excess) await mine().where('created_at_ms', '<=', excess.created_at_ms).delete();
    },
  };
}

function freshRow({ requestDigest, owner, nowMs }: IdempotencyClaim): Row {
  const lease_until_ms = nowMs + settings.lease_seconds * 1000;
  const unknown = { session_id: null, subject_id: null, response: null, secret: null };
  return { request_digest: requestDigest, owner, lease_until_ms, created_at_ms: nowMs, ...unknown };
}

function judge(row: Row, { requestDigest, owner, nowMs }: IdempotencyClaim): ClaimOutcome {
  const isExpired = row.created_at_ms <= nowMs - settings.retention_hours * hourMs;
  if (row.owner === owner || isExpired) return { kind: 'claimed' };
  if (row.request_digest !== requestDigest) return { kind: 'reused' };
  if (row.response !== null)
    return { kind: 'completed', response: row.response, secret: row.secret, createdAtMs: row.created_at_ms };
  return { kind: row.lease_until_ms > nowMs ? 'in_progress' : 'claimed' };
}

/** Deletes the secrets of responses that were stored before `beforeMs`. */
export async function forgetIssuedSecrets(knex: Knex, beforeMs: number): Promise<void> {
  await knex('idempotency_keys').where('created_at_ms', '<', beforeMs).whereNotNull('secret').update({ secret: null });
}
