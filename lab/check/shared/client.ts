import type { Schema } from '../../../src/contract/contract.js';

const answerMs = 30_000;

/** Calls a path. Sends a JSON body if `body` is present. Rejects unless a 2xx response arrives within 30 s. */
export type Request = <T>(path: string, body?: unknown, method?: string) => Promise<T>;

export function createRequest(url: string, key: string): Request {
  const headers = { 'X-Service-Key': key, 'Content-Type': 'application/json' };
  return async <T>(path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST'): Promise<T> => {
    const signal = AbortSignal.timeout(answerMs);
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(url + path, { headers, signal, method, ...content });
    if (!response.ok) throw new Error(`${path} responded with ${response.status}: ${await response.text()}`);
    return (response.status === 204 ? undefined : await response.json()) as T;
  };
}

/** The webhook operations that the checks need. */
export function createWebhookClient(request: Request) {
  return {
    register: (receiver: string): Promise<Schema<'Webhook'> & { secret: string }> =>
      request('/webhooks/register', { url: receiver, events: ['state_change'] }),
    retry: (webhookId: string): Promise<Schema<'RetryAccepted'>> =>
      request('/webhooks/retries', { webhook_id: webhookId }),
    /** Returns the failed deliveries of all pages. */
    async allFailed(): Promise<Array<Schema<'FailedDelivery'>>> {
      const failed: Array<Schema<'FailedDelivery'>> = [];
      let cursor: string | null = null;
      do {
        const path: string = cursor === null ? '/webhooks/retries' : `/webhooks/retries?cursor=${cursor}`;
        const page: Schema<'FailedDeliveryList'> = await request(path);
        failed.push(...page.deliveries);
        cursor = page.next_cursor;
      } while (cursor !== null);
      return failed;
    },
  };
}

export type WebhookClient = ReturnType<typeof createWebhookClient>;
