import type { Operation } from '../contract.js';
import { register, requireTarget } from '../delivery/register.js';
import { toWebhook } from '../delivery/webhook-view.js';
import type { Services } from './services.js';

/** The secret is in this answer and in no other. */
export function registerWebhook(services: Services): Operation<'registerWebhook'> {
  const { store, secretBox, now } = services;
  return async ({ body }, { accountId }) => {
    await requireTarget(body.url, accountId, services);
    const { webhook, secret } = await store.transact((writerOf) =>
      register(writerOf(accountId), secretBox, accountId, body, now()),
    );
    if (secret === undefined) return { status: 200, body: toWebhook(webhook) };
    return { status: 201, body: { ...toWebhook(webhook), secret } };
  };
}
