import { keyTable } from '../../src/store/keys.js';
import { idempotencyKeyTable } from '../../src/store/idempotency-keys.js';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { body as bodyLimits } from '../../generated/spec.js';
import { toClaim } from '../../src/operations/idempotently.js';
import type { OperationId, Schema } from '../../src/contract/contract.js';
import {
  type Scenario,
  type Scenarios,
  setQuery,
  type Stage,
  unavailable,
  whileLocked,
  withoutScope,
  withoutTable,
  withSpentKey,
  withUnknownKey,
  withUnknownParameter,
} from './stage.js';
import type { World } from './world.js';

type WebhookOperations = Extract<OperationId, `${string}ebhook${string}` | `${string}Deliver${'y' | 'ies'}`>;

const failureMs = 10_000;

/** Error scenarios that operations on one webhook share. */
const failures = {
  401: withUnknownKey,
  403: withoutScope,
  404: ofWebhook('wh_unknown'),
  422: withUnknownParameter,
  429: withSpentKey,
  500: withoutTable('webhooks'),
  503: whileLocked('webhooks'),
};

export const webhookScenarios: Scenarios<WebhookOperations> = {
  registerWebhook: {
    200: async (stage) => {
      const body = registration();
      await call(stage.world, 'POST', '/webhooks/register', body);
      await submit(body)(stage);
    },
    201: (stage) => submit(registration())(stage),
    400: withoutJson,
    401: withUnknownKey,
    403: withoutScope,
    409: async (stage) => {
      const body = registration();
      await claimKey(stage, 'registerWebhook', body);
      await submit(body)(stage);
    },
    413: submit({ url: `https://example.com/${'x'.repeat(bodyLimits.max_bytes)}`, events: ['state_change'] }),
    415: asText,
    422: submit({ url: 'https://10.0.0.1/hooks', events: ['state_change', 'state_change'] }),
    429: withSpentKey,
    500: withoutTable('webhooks'),
    503: whileLocked('webhooks', 'accounts'),
  },
  listWebhooks: {
    200: async ({ world }) => registerOne(world),
    401: withUnknownKey,
    403: withoutScope,
    422: withUnknownParameter,
    429: withSpentKey,
    500: withoutTable('webhooks'),
    503: unavailable('webhooks'),
  },
  removeWebhook: { 204: ofWebhook(), ...failures },
  rotateWebhookSecret: { 200: ofWebhook(), 409: withClaimedKey('rotateWebhookSecret'), ...failures },
  testWebhook: { 202: ofWebhook(), 409: withClaimedKey('testWebhook'), ...failures },
  listDeliveries: {
    200: async ({ world, transaction, defer }) => {
      const { webhook_id } = await failedDelivery(world, defer);
      transaction.fullPath = '/webhooks/deliveries';
      setQuery(transaction, 'webhook_id', webhook_id);
    },
    401: withUnknownKey,
    403: withoutScope,
    422: withUnknownParameter,
    429: withSpentKey,
    500: withoutTable('deliveries'),
    503: unavailable('deliveries'),
  },
  getDelivery: {
    200: async ({ world, transaction, defer }) => {
      transaction.fullPath = `/webhooks/deliveries/${(await failedDelivery(world, defer)).id}`;
    },
    401: withUnknownKey,
    403: withoutScope,
    404: async ({ transaction }) => {
      transaction.fullPath = '/webhooks/deliveries/dlv_unknown';
    },
    422: withUnknownParameter,
    429: withSpentKey,
    500: withoutTable('deliveries'),
    503: unavailable('deliveries'),
  },
  listFailedDeliveries: {
    200: async ({ world, transaction, defer }) => {
      const { webhook_id } = await failedDelivery(world, defer);
      transaction.fullPath = '/webhooks/retries';
      setQuery(transaction, 'webhook_id', webhook_id);
    },
    401: withUnknownKey,
    403: withoutScope,
    422: withUnknownParameter,
    429: withSpentKey,
    500: withoutTable('deliveries'),
    503: unavailable('deliveries'),
  },
  retryDeliveries: {
    202: async (stage) => {
      const { id } = await failedDelivery(stage.world, stage.defer);
      await submit({ delivery_ids: [id] })(stage);
    },
    400: withoutJson,
    401: withUnknownKey,
    403: withoutScope,
    404: submit({ webhook_id: 'wh_unknown' }),
    413: submit({ delivery_ids: ['x'.repeat(bodyLimits.max_bytes)] }),
    415: asText,
    422: submit({ since: '2026-11-21T09:00:00.000Z' }),
    429: withSpentKey,
    500: withoutTable('deliveries'),
    503: whileLocked('deliveries'),
  },
};

/**
 * Returns a scenario in which the webhook exists and another process runs the same request with the same idempotency
 * key.
 */
function withClaimedKey(operationId: OperationId): Scenario {
  return async (stage) => {
    await ofWebhook()(stage);
    const [, id = ''] = /\/webhooks\/([^/]+)/.exec(stage.transaction.fullPath) ?? [];
    await claimKey(stage, operationId, { id });
  };
}

async function claimKey({ world, transaction }: Stage, operationId: OperationId, content: object): Promise<void> {
  const key = randomUUID();
  transaction.request.headers['Idempotency-Key'] = key;
  const accountId = (await world.store.use(keyTable).accountByName('dredd'))?.accountId ?? '';
  const claim = toClaim(operationId, key, { ...content }, Date.now());
  await world.store.transact((scopeOf) => idempotencyKeyTable(scopeOf(accountId)).claim(claim));
}

function registration(): Schema<'WebhookRegistration'> {
  return { url: `https://example.com/${randomUUID()}`, events: ['state_change'], session_id: randomUUID() };
}

function submit(body: object): Scenario {
  return async ({ transaction }) => {
    transaction.request.body = JSON.stringify(body);
  };
}

export async function withoutJson({ transaction }: Stage): Promise<void> {
  transaction.request.body = '{';
}

export async function asText({ transaction }: Stage): Promise<void> {
  transaction.request.headers['Content-Type'] = 'text/plain';
}

function ofWebhook(webhookId?: string): Scenario {
  return async ({ world, transaction }) => {
    const id = webhookId ?? (await registerOne(world)).id;
    transaction.fullPath = transaction.fullPath.replace(/\/webhooks\/[^/]+/, `/webhooks/${id}`);
  };
}

async function registerOne(world: World, url?: string): Promise<Schema<'Webhook'>> {
  return call(world, 'POST', '/webhooks/register', { ...registration(), ...(url && { url }) });
}

/** Sends a sample event to a receiver that rejects it, so that the delivery fails immediately. */
async function failedDelivery(world: World, defer: Stage['defer']): Promise<Schema<'FailedDelivery'>> {
  const receiver = createServer((_, response) => void response.writeHead(410).end('no more'));
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  defer(async () => {
    receiver.close();
    receiver.closeAllConnections();
  });
  const { id } = await registerOne(world, `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`);
  await call(world, 'POST', `/webhooks/${id}/test`);
  const endsAtMs = Date.now() + failureMs;
  for (;;) {
    const { deliveries } = await call(world, 'GET', `/webhooks/retries?webhook_id=${id}`);
    if (deliveries[0]) return deliveries[0];
    if (Date.now() > endsAtMs) throw new Error('the delivery does not fail');
    await sleep(20);
  }
}

async function call(
  { service, key }: World,
  method: string,
  path: string,
  body?: object,
): Promise<ReturnType<typeof JSON.parse>> {
  const headers = { 'X-Service-Key': key, 'Content-Type': 'application/json' };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const response = await fetch(service.url + path, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} got status ${response.status}: ${text}`);
  return JSON.parse(text);
}
