import type { Knex } from 'knex';
import type { Schema } from '../contract.js';
import { asciiIds } from './ascii-ids.js';
import { rowFormats } from './row-formats.js';

/** A registered webhook; its secrets are sealed. */
export interface StoredWebhook {
  readonly webhookId: string;
  /** As registered. */
  readonly url: string;
  readonly events: ReadonlyArray<Schema<'EventKind'>>;
  /** Absent where it watches every session of the account. */
  readonly sessionId?: string;
  /** The subject of that session; absent while none is known. */
  readonly subjectId?: string;
  readonly secret: string;
  /** While a rotation lasts. */
  readonly previousSecret?: { readonly secret: string; readonly untilMs: number };
  /** Failed attempts since the last success. */
  readonly failedInRow: number;
  /** When the newest failed attempt ended, epoch ms; absent while none has failed. */
  readonly lastFailureAtMs?: number;
  /** When the receiver answered 410; absent while it did not. */
  readonly disabledAtMs?: number;
  readonly createdAtMs: number;
  /** The account's webhook epoch that the registration began. */
  readonly registeredEpoch: number;
  /** The epoch that the 410 began; absent where the webhook is not disabled. */
  readonly disabledEpoch?: number;
}

interface WebhookRow {
  readonly webhook_id: string;
  readonly url: string;
  readonly session_id: string | null;
  readonly subject_id: string | null;
  readonly registered_epoch: number;
  readonly disabled_epoch: number | null;
  readonly body: string;
}

const columns = ['webhook_id', 'url', 'session_id', 'subject_id', 'registered_epoch', 'disabled_epoch', 'body'];

/** One account's webhooks. */
export function webhookTable(knex: Knex, accountId: string) {
  const mine = () => knex('webhooks').where({ account_id: accountId });
  const select = () => mine().select(columns).orderBy('webhook_id');

  return {
    /**
     * Returns the account's webhook epoch, or undefined without any webhook. Every registration and every 410 begins a
     * new epoch, in its own transaction. An event therefore happened after exactly those with at most its epoch.
     */
    async epoch(): Promise<number | undefined> {
      const exists = mine().select('webhook_id');
      const row = await knex('accounts')
        .select('webhook_epoch')
        .where({ account_id: accountId })
        .whereExists(exists)
        .first();
      return row?.webhook_epoch;
    },

    /** Begins the account's next webhook epoch and returns it. The caller holds the lock on the account. */
    async nextEpoch(): Promise<number> {
      const account = () => knex('accounts').where({ account_id: accountId });
      await account().increment('webhook_epoch', 1);
      const row = await account().select('webhook_epoch').first();
      return row?.webhook_epoch ?? 0;
    },

    /** Oldest first. */
    async list(): Promise<StoredWebhook[]> {
      return oldestFirst(await select());
    },

    /** All of them, locked until the transaction ends. */
    async lockAll(): Promise<StoredWebhook[]> {
      return oldestFirst(await select().forUpdate());
    },

    /**
     * Locks those of the named ones that exist. Several transactions may share them: then none is to change one, though
     * it may where that is rare, for two that do so at once cost one of them a second run.
     */
    async lock(webhookIds: readonly string[], isShared = false): Promise<Map<string, StoredWebhook>> {
      if (webhookIds.length === 0) return new Map();
      const query = select().whereIn('webhook_id', asciiIds(webhookIds));
      const rows: WebhookRow[] = await (isShared ? query.forShare() : query.forUpdate());
      return new Map(rows.map((row) => [row.webhook_id, toWebhook(row)]));
    },

    /** Lets nobody else register for this account until the transaction ends. */
    async lockAccount(): Promise<void> {
      await knex('accounts').select('account_id').where({ account_id: accountId }).forUpdate();
    },

    async insert(webhook: StoredWebhook): Promise<void> {
      await knex('webhooks').insert({ account_id: accountId, ...toRow(webhook) });
    },

    async update(webhook: StoredWebhook): Promise<void> {
      const { webhook_id, ...changed } = toRow(webhook);
      await mine().where({ webhook_id }).update(changed);
    },

    /** Tells whether there was such a webhook. */
    async remove(webhookId: string): Promise<boolean> {
      return (await mine().where({ webhook_id: webhookId }).delete()) > 0;
    },
  };
}

function oldestFirst(rows: readonly WebhookRow[]): StoredWebhook[] {
  return rows.map(toWebhook).sort((a, b) => a.createdAtMs - b.createdAtMs);
}

function toRow(webhook: StoredWebhook): WebhookRow {
  const { webhookId, url, sessionId, subjectId, registeredEpoch, disabledEpoch, ...content } = webhook;
  return {
    webhook_id: webhookId,
    url,
    session_id: sessionId ?? null,
    subject_id: subjectId ?? null,
    registered_epoch: registeredEpoch,
    disabled_epoch: disabledEpoch ?? null,
    body: rowFormats.webhook.encode(content),
  };
}

function toWebhook(row: WebhookRow): StoredWebhook {
  return {
    webhookId: row.webhook_id,
    url: row.url,
    ...(row.session_id !== null && { sessionId: row.session_id }),
    ...(row.subject_id !== null && { subjectId: row.subject_id }),
    registeredEpoch: row.registered_epoch,
    ...(row.disabled_epoch !== null && { disabledEpoch: row.disabled_epoch }),
    ...rowFormats.webhook.decode(row.body),
  };
}
