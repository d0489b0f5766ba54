import type { Knex } from 'knex';
import { anyText, ascii, asciiJson, asciiOf, type Tables } from './create-table.js';

/**
 * Webhooks, the outbox and deliveries. The outbox has one row per event, written in the transaction of its reading. The
 * worker creates the deliveries. `subject_id` lets an erasure find a row after the session of the row is purged.
 */
export const webhookTables: Tables = {
  webhooks: {
    columns(table) {
      ascii(table, 'account_id', 32).notNullable();
      ascii(table, 'webhook_id', 32).notNullable();
      anyText(table, 'url').notNullable();
      // Null if the webhook watches every session of the account.
      ascii(table, 'session_id', 256).nullable();
      ascii(table, 'subject_id', 256).nullable();
      table.bigInteger('registered_epoch').notNullable();
      // Null if the webhook is not disabled.
      table.bigInteger('disabled_epoch').nullable();
      // Number of times that a transaction on a cluster has locked the webhook. Nothing reads it.
      table.bigInteger('locks').notNullable().defaultTo(0);
      anyText(table, 'body').notNullable();
      table.primary(['account_id', 'webhook_id']);
    },
    indexes: {
      webhooks_by_session: ['account_id', 'session_id'],
      webhooks_by_subject: ['account_id', 'subject_id'],
    },
  },
  outbox: {
    columns(table) {
      ascii(table, 'account_id', 32).notNullable();
      ascii(table, 'session_id', 256).notNullable();
      table.bigInteger('seq').notNullable();
      ascii(table, 'subject_id', 256).nullable();
      asciiJson(table, 'payload').notNullable();
      // See accounts.webhook_epoch.
      table.bigInteger('epoch').notNullable();
      table.bigInteger('created_at_ms').notNullable();
      table.primary(['account_id', 'session_id', 'seq']);
    },
    indexes: {
      outbox_by_age: ['account_id', 'created_at_ms', 'session_id'],
      outbox_by_subject: ['account_id', 'subject_id'],
    },
  },
  // The indexes without the account serve the worker, which finds due deliveries of all accounts.
  deliveries: {
    columns: defineDeliveries,
    indexes: {
      deliveries_by_receiver: ['status', 'receiver', 'due_at_ms'],
      deliveries_by_line: ['account_id', 'webhook_id', 'session_id', 'status', 'seq'],
      deliveries_by_webhook: ['account_id', 'webhook_id', 'status', 'settled_at_ms', 'delivery_id'],
      deliveries_by_session: ['account_id', 'session_id', 'status', 'settled_at_ms', 'delivery_id'],
      deliveries_by_subject: ['account_id', 'subject_id'],
      deliveries_by_failure: ['account_id', 'status', 'settled_at_ms', 'delivery_id'],
      deliveries_by_settlement: ['settled_at_ms'],
      deliveries_by_event: ['account_id', 'webhook_id', 'status', 'event_at_ms', 'delivery_id'],
    },
  },
  idempotency_keys: {
    columns: defineIdempotencyKeys,
    indexes: {
      idempotency_keys_by_age: ['created_at_ms'],
      idempotency_keys_by_account: ['account_id', 'created_at_ms'],
      idempotency_keys_by_session: ['account_id', 'session_id'],
      idempotency_keys_by_subject: ['account_id', 'subject_id'],
    },
  },
};

function defineDeliveries(table: Knex.CreateTableBuilder): void {
  ascii(table, 'account_id', 32).notNullable();
  ascii(table, 'delivery_id', 32).notNullable();
  ascii(table, 'webhook_id', 32).notNullable();
  ascii(table, 'session_id', 256).notNullable();
  ascii(table, 'subject_id', 256).nullable();
  // Position in the queue of the delivery's webhook and session. Null for a delivery outside of the order.
  table.bigInteger('seq').nullable();
  asciiOf(table, 'receiver', 16).notNullable();
  ascii(table, 'status', 10).notNullable();
  ascii(table, 'reason', 24).nullable();
  asciiJson(table, 'payload').notNullable();
  anyText(table, 'attempts').notNullable();
  // Time from which the delivery may be claimed. For a claimed delivery, the end of the lease.
  table.bigInteger('due_at_ms').notNullable();
  asciiOf(table, 'owner', 16).nullable();
  table.bigInteger('settled_at_ms').nullable();
  table.bigInteger('event_at_ms').notNullable();
  table.primary(['account_id', 'delivery_id']);
}

function defineIdempotencyKeys(table: Knex.CreateTableBuilder): void {
  ascii(table, 'account_id', 32).notNullable();
  asciiOf(table, 'key_digest', 64).notNullable();
  asciiOf(table, 'request_digest', 64).notNullable();
  asciiOf(table, 'owner', 16).notNullable();
  table.bigInteger('lease_until_ms').notNullable();
  // The session in the stored response, and its subject. Null if the response contains no session.
  ascii(table, 'session_id', 256).nullable();
  ascii(table, 'subject_id', 256).nullable();
  // Sealed. Null while the request is in progress.
  asciiJson(table, 'response').nullable();
  // Sealed. Null if the response contained no secret, or if the secret was deleted.
  ascii(table, 'secret', 256).nullable();
  table.bigInteger('created_at_ms').notNullable();
  table.primary(['account_id', 'key_digest']);
}
