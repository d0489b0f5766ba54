import type { Knex } from 'knex';
import type { Schema } from '../contract/contract.js';
import { readWhose, type Whose } from '../contract/whose.js';
import { filterAsciiIds, nameColumns, type Nullable, omitNulls, startAfter, toColumns } from './columns.js';
import { createRowFormat } from './row-formats.js';
import { insertRows, selectRows, type Statement } from './rows.js';
import type { ReadScope } from './scope.js';
import { hasOtherWriters } from './server-facts.js';

/** A registered webhook. Its secrets are sealed. */
export interface StoredWebhook {
  readonly webhookId: string;
  /** URL as registered. */
  readonly url: string;
  readonly events: ReadonlyArray<Schema<'EventKind'>>;
  /** Schedule of the retries. Absent for `standard`. */
  readonly retry?: 'extended';
  /** States whose changes the webhook receives. Absent if it receives changes to every state. */
  readonly states?: ReadonlyArray<Schema<'State'>>;
  /** The session that the webhook watches. Absent if it watches a subject or every session of the account. */
  readonly sessionId?: string;
  /**
   * Subject of the watched session. Absent if the session has no subject yet. Without `sessionId`, the subject whose
   * sessions the webhook watches.
   */
  readonly subjectId?: string;
  readonly secret: string;
  /** The secret before the rotation. Present while a rotation is in progress. */
  readonly previousSecret?: { readonly secret: string; readonly untilMs: number };
  /** Number of failed attempts since the last success. */
  readonly failedInRow: number;
  /** End of the newest failed attempt, in epoch ms. Absent if no attempt has failed. */
  readonly lastFailureAtMs?: number;
  /** The newest failed attempt, without the response of the receiver. */
  readonly lastFailure?: Omit<Schema<'DeliveryAttempt'>, 'answer'>;
  /** Time of the next attempt of the delivery that failed last, in epoch ms. Absent if it is not retried. */
  readonly nextAttemptAtMs?: number | undefined;
  /** Time of a 410 response of the receiver, in epoch ms. Absent if the webhook is not disabled. */
  readonly disabledAtMs?: number;
  readonly createdAtMs: number;
  /** The account's webhook epoch that the registration started. */
  readonly registeredEpoch: number;
  /** The account's webhook epoch that the 410 response started. Absent if the webhook is not disabled. */
  readonly disabledEpoch?: number;
}

/** The row of `selectEpoch`. */
export interface EpochRow {
  readonly webhook_epoch: number;
  /** 1 or 0. */
  readonly has_rules: number;
}

const keyColumns = ['account_id', 'webhook_id'];
const columns = nameColumns('webhookId url sessionId subjectId registeredEpoch disabledEpoch');

type Columns = Pick<StoredWebhook, keyof typeof columns>;
type WebhookRow = Nullable<Columns> & { readonly body: string };

export const webhookFormat = createRowFormat<Omit<StoredWebhook, keyof Columns>>('webhook');

/** Returns whose sessions the webhook watches. */
export function findWatched({ sessionId: session_id, subjectId: subject_id }: StoredWebhook): Whose {
  return readWhose({ session_id, subject_id });
}

/** Webhooks of one account. */
export function createWebhookTable({ knex, accountId }: ReadScope) {
  const mine = () => knex('webhooks').where({ account_id: accountId });
  const select = () =>
    mine()
      .select({ ...columns, body: 'body' })
      .orderBy('webhook_id');
  return {
    /**
     * Returns the query for the account's webhook epoch, and whether it has alert rules. It has no row if the account has no
     * webhook.
     *
     * Each registration, each 410 response and each alert rule starts a new epoch in its own transaction. An event with epoch n is later
     * than every change with an epoch up to n, and earlier than every other change.
     */
    selectEpoch(): Statement {
      const exists = 'exists (select 1 from webhooks where account_id = accounts.account_id)';
      const hasRules = 'exists (select 1 from alert_rules where account_id = accounts.account_id) as has_rules';
      const sql = `select webhook_epoch, ${hasRules} from accounts where account_id = ? and ${exists}`;
      return { sql, bindings: [accountId] };
    },

    /** Returns the epoch of `selectEpoch`. */
    async readEpoch(): Promise<number | undefined> {
      const [row] = await selectRows<EpochRow>(knex, this.selectEpoch());
      return row?.webhook_epoch;
    },

    /** Starts the account's next webhook epoch and returns it. The caller must hold the account lock. */
    async nextEpoch(): Promise<number> {
      await knex('accounts').where({ account_id: accountId }).increment('webhook_epoch', 1);
      return (await this.findEpoch()) ?? 0;
    },

    /** Returns the account's webhook epoch. Undefined for an unknown account. */
    async findEpoch(): Promise<number | undefined> {
      return (await knex('accounts').where({ account_id: accountId }).first('webhook_epoch'))?.webhook_epoch;
    },

    /** Returns all webhooks, oldest first. */
    async list(): Promise<StoredWebhook[]> {
      return oldestFirst(await select());
    },

    /** Returns true if a webhook receives events of a kind. */
    async isReceived(kind: Schema<'EventKind'>): Promise<boolean> {
      return (await this.list()).some(({ events }) => events.includes(kind));
    },

    /**
     * Locks and returns those webhooks that exist. Whoever adds to the queues of a webhook, or takes from them, waits for
     * the lock. Transactions lock events first, then webhooks in the order of their ids, then deliveries.
     *
     * Writes the rows first, if other nodes may write. Two transactions that lock the same webhook then never both
     * commit. Otherwise, one transaction could queue a delivery behind a delivery that the other transaction settles. The
     * queued delivery would never become due.
     */
    async lock(webhookIds: readonly string[]): Promise<Map<string, StoredWebhook>> {
      if (webhookIds.length === 0) return new Map();
      const ids = filterAsciiIds(webhookIds);
      if (hasOtherWriters(knex)) await mine().whereIn('webhook_id', ids).increment('locks', 1);
      const rows: WebhookRow[] = await select().whereIn('webhook_id', ids).forUpdate();
      return new Map(rows.map((row) => [row.webhookId, toWebhook(row)]));
    },

    /** Locks the account until the transaction ends. The lock blocks other registrations. */
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

    /** Stores the attempts of locked webhooks. */
    async saveAttempts(webhooks: readonly StoredWebhook[]): Promise<void> {
      const rows = webhooks.map((webhook) => ({ account_id: accountId, ...toRow(webhook) }));
      await insertRows(knex, 'webhooks', rows, { key: keyColumns, merged: ['body', 'disabled_epoch'] });
    },

    /** Deletes a webhook. Returns false if it does not exist. */
    async remove(webhookId: string): Promise<boolean> {
      return (await mine().where({ webhook_id: webhookId }).delete()) > 0;
    },
  };
}

export interface WebhookId {
  readonly accountId: string;
  readonly webhookId: string;
}

/** Returns the ids of webhooks of all accounts that follow an id, in order. */
export async function findWebhookIdsAfter(knex: Knex, after: WebhookId, max: number): Promise<WebhookId[]> {
  const query = knex('webhooks').select(nameColumns('accountId webhookId')).limit(max);
  return startAfter(query, 'asc', { account_id: after.accountId, webhook_id: after.webhookId });
}

function oldestFirst(rows: readonly WebhookRow[]): StoredWebhook[] {
  return rows.map(toWebhook).sort((a, b) => a.createdAtMs - b.createdAtMs);
}

function toRow(webhook: StoredWebhook): Record<string, string | number | null> {
  const content = Object.entries(webhook).filter(([name]) => !(name in columns));
  const body = webhookFormat.encode(Object.fromEntries(content) as Omit<StoredWebhook, keyof Columns>);
  return { ...toColumns(columns, webhook), body };
}

function toWebhook({ body, ...row }: WebhookRow): StoredWebhook {
  return { ...omitNulls<Columns>(row), ...webhookFormat.decode(body) };
}
