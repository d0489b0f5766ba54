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
}

interface WebhookRow {
  readonly webhook_id: string;
  readonly url: string;
  readonly session_id: string | null;
  readonly subject_id: string | null;
  readonly body: string;
}

/** One account's webhooks. */
export function webhookTable(knex: Knex, accountId: string) {
  const mine = () => knex('webhooks').where({ account_id: accountId });
  const select = () => mine().select('webhook_id', 'url', 'session_id', 'subject_id', 'body').orderBy('webhook_id');

  return {
    /** Whether there is any. */
    async exist(): Promise<boolean> {
      return (await mine().select('webhook_id').first()) !== undefined;
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

function toRow({ webhookId, url, sessionId, subjectId, ...content }: StoredWebhook): WebhookRow {
  const body = rowFormats.webhook.encode(content);
  return { webhook_id: webhookId, url, session_id: sessionId ?? null, subject_id: subjectId ?? null, body };
}

function toWebhook({ webhook_id, url, session_id, subject_id, body }: WebhookRow): StoredWebhook {
  return {
    webhookId: webhook_id,
    url,
    ...(session_id !== null && { sessionId: session_id }),
    ...(subject_id !== null && { subjectId: subject_id }),
    ...rowFormats.webhook.decode(body),
  };
}
