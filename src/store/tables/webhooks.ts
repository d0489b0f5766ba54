import type { Knex } from 'knex';
import { idempotency } from '../../../generated/spec.js';
import { addAnyText, addAscii, addAsciiJson, addFixedAscii, type Tables } from './table.js';

/**
 * Webhooks, the outbox and deliveries. The outbox has one row per event, written in the transaction of its reading. The
 * worker creates the deliveries. `subject_id` lets an erasure find a row after the session of the row is purged.
 */
export const webhookTables: Tables = {
  webhooks: {
    content: 'webhooks of the account',
    identifies: 'person',
    retention: 'until it is removed',
    erasure: 'deleted if the webhook watches the person or one of their sessions',
    readBy: ['registerWebhook', 'listWebhooks'],
    about: {
      account_id: 'account',
      'subject_id session_id': 'ids of the person and the session, chosen by the integrator',
      webhook_id: 'webhook',
      'url body': 'URL of the receiver, events, encrypted signing secret',
      'registered_epoch disabled_epoch locks': 'internal numbers',
    },
    columns(table) {
      addAscii(table, 'account_id', 32).notNullable();
      addAscii(table, 'webhook_id', 32).notNullable();
      addAnyText(table, 'url').notNullable();
      // Null if the webhook watches the sessions of a subject, or every session of the account.
      addAscii(table, 'session_id', 256).nullable();
      // The subject of the watched session, or the watched subject if `session_id` is null.
      addAscii(table, 'subject_id', 256).nullable();
      table.bigInteger('registered_epoch').notNullable();
      // Null if the webhook is not disabled.
      table.bigInteger('disabled_epoch').nullable();
      // Number of times that a transaction on a cluster has locked the webhook. Nothing reads it.
      table.bigInteger('locks').notNullable().defaultTo(0);
      addAnyText(table, 'body').notNullable();
      table.primary(['account_id', 'webhook_id']);
    },
    indexes: {
      webhooks_by_session: ['account_id', 'session_id'],
      webhooks_by_subject: ['account_id', 'subject_id'],
    },
  },
  outbox: {
    content: 'state changes that are not yet distributed to webhooks',
    identifies: 'person',
    retention: 'until the event is distributed, usually within 100 ms',
    erasure: 'deleted',
    readBy: [],
    about: {
      account_id: 'account',
      'subject_id session_id': 'ids of the person and the session, chosen by the integrator',
      'seq epoch created_at_ms': 'order and time of the event',
      payload: 'the event: session, previous and new state, score, time',
    },
    columns(table) {
      addAscii(table, 'account_id', 32).notNullable();
      addAscii(table, 'session_id', 256).notNullable();
      table.bigInteger('seq').notNullable();
      addAscii(table, 'subject_id', 256).nullable();
      addAsciiJson(table, 'payload').notNullable();
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
    content: 'deliveries of state changes to webhooks, with their attempts',
    notice: 'Notices to other systems that your state changed',
    identifies: 'person',
    retention: 'RETENTION_DELIVERIES_DAYS',
    expiry: { kind: 'deliveries', column: 'settled_at_ms' },
    erasure: 'deleted',
    readBy: ['listDeliveries', 'getDelivery', 'listFailedDeliveries'],
    about: {
      account_id: 'account',
      'subject_id session_id': 'ids of the person and the session, chosen by the integrator',
      'delivery_id webhook_id receiver owner': 'delivery, webhook, receiver and process',
      'seq status reason due_at_ms settled_at_ms event_at_ms': 'order, status and times',
      payload: 'the event: session, previous and new state, score, time',
      attempts: 'responses of the receiver, abridged',
    },
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
    content: 'responses to requests with an `Idempotency-Key`, encrypted',
    identifies: 'person',
    retention: `${idempotency.retention_hours} hours. Secrets: ${idempotency.secret_minutes} minutes`,
    expiry: { column: 'created_at_ms', maxAgeMs: idempotency.retention_hours * 3_600_000 },
    erasure: 'deleted',
    readBy: ['registerWebhook', 'rotateWebhookSecret', 'testWebhook'],
    about: {
      account_id: 'account',
      'subject_id session_id': 'ids of the person and the session, chosen by the integrator',
      'key_digest request_digest': 'hashes of the key and the request',
      'owner lease_until_ms created_at_ms': 'process and times',
      'response secret': 'response, encrypted',
    },
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
  addAscii(table, 'account_id', 32).notNullable();
  addAscii(table, 'delivery_id', 32).notNullable();
  addAscii(table, 'webhook_id', 32).notNullable();
  addAscii(table, 'session_id', 256).notNullable();
  addAscii(table, 'subject_id', 256).nullable();
  // Position in the queue of the delivery's webhook and session. Null for a delivery outside of the order.
  table.bigInteger('seq').nullable();
  addFixedAscii(table, 'receiver', 16).notNullable();
  addAscii(table, 'status', 10).notNullable();
  addAscii(table, 'reason', 24).nullable();
  addAsciiJson(table, 'payload').notNullable();
  addAnyText(table, 'attempts').notNullable();
  // Time from which the delivery may be claimed. For a claimed delivery, the end of the lease.
  table.bigInteger('due_at_ms').notNullable();
  addFixedAscii(table, 'owner', 16).nullable();
  table.bigInteger('settled_at_ms').nullable();
  table.bigInteger('event_at_ms').notNullable();
  table.primary(['account_id', 'delivery_id']);
}

function defineIdempotencyKeys(table: Knex.CreateTableBuilder): void {
  addAscii(table, 'account_id', 32).notNullable();
  addFixedAscii(table, 'key_digest', 64).notNullable();
  addFixedAscii(table, 'request_digest', 64).notNullable();
  addFixedAscii(table, 'owner', 16).notNullable();
  table.bigInteger('lease_until_ms').notNullable();
  // The session and the subject of the webhook in the stored response. Null if the webhook has none.
  addAscii(table, 'session_id', 256).nullable();
  addAscii(table, 'subject_id', 256).nullable();
  // Sealed. Null while the request is in progress.
  addAsciiJson(table, 'response').nullable();
  // Sealed. Null if the response contained no secret, or if the secret was deleted.
  addAscii(table, 'secret', 256).nullable();
  table.bigInteger('created_at_ms').notNullable();
  table.primary(['account_id', 'key_digest']);
}
