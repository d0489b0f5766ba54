import { register, requireTarget } from '../webhooks/register.js';
import { findStatusChange, logStatusChange, type StatusChange } from '../webhooks/schedule.js';
import { toWebhook } from '../webhooks/view.js';
import { runIdempotently } from './idempotently.js';
import type { OperationRecord } from './operation.js';

/** Registers a webhook. Returns the secret only in this response and in resends with the same Idempotency-Key. */
export const registerWebhook: OperationRecord<
  'registerWebhook',
  'store' | 'secretBox' | 'now' | 'log' | 'targetPolicy' | 'resolveName'
> = {
  personalData: 'none',
  async handle(services, { body, headers }, caller) {
    const { secretBox, now, log } = services;
    const { accountId } = caller;
    const request = { operationId: 'registerWebhook', key: headers?.['Idempotency-Key'], content: body };
    let change: StatusChange | undefined;
    const response = await runIdempotently(services, caller, request, {
      prepare: () => requireTarget(body, accountId, services),
      async write(writer) {
        const { webhook, secret, before = webhook } = await register(writer, secretBox, accountId, body, now());
        change = findStatusChange(accountId, before, webhook);
        if (secret === undefined) return { status: 200 as const, body: toWebhook(webhook) };
        return { status: 201 as const, body: { ...toWebhook(webhook), secret } };
      },
    });
    if (change) logStatusChange(log, change);
    return response;
  },
};
