import { type OutgoingHttpHeaders, request as httpRequest, type RequestOptions } from 'node:http';
import type { Schema } from '../../../src/contract/contract.js';

const answerMs = 30_000;

/** Returns the headers of a request with a body. */
export function headersOf(key: string, type = 'application/json') {
  return { 'X-Service-Key': key, 'Content-Type': type };
}

/** Calls a path. Sends `body` as JSON, a text as it is. Rejects unless a 2xx response arrives in time. */
export type Request = <T>(path: string, body?: unknown, method?: string) => Promise<T>;

export function createRequest(url: string, key: string, limitMs = answerMs): Request {
  const headers = headersOf(key);
  return async <T>(path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST'): Promise<T> => {
    const signal = AbortSignal.timeout(limitMs);
    const content = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
    const response = await fetch(url + path, { headers, signal, method, ...content });
    if (!response.ok) throw new Error(`${path} responded with ${response.status}: ${await response.text()}`);
    return (response.status === 204 ? undefined : await response.json()) as T;
  };
}

/**
 * Sends a request and discards the response, because parsing would delay a measurement. Resolves with the status, and with 0
 * if the connection ends before the response does.
 */
export function ask(
  url: string,
  headers: OutgoingHttpHeaders,
  { body, ...options }: RequestOptions & { readonly body?: string | Uint8Array | undefined } = {},
): Promise<number> {
  return new Promise((resolve) => {
    const method = body === undefined ? 'GET' : 'POST';
    const sent = httpRequest(url, { method, headers, ...options }, (response) => {
      response.resume().on('close', () => resolve(response.complete ? (response.statusCode ?? 0) : 0));
    });
    sent.on('timeout', () => sent.destroy()).on('error', () => resolve(0));
    sent.end(body);
  });
}

/** Sends the start of a body, and no more. Returns a function that breaks the connection. */
export function startPost(url: string, headers: OutgoingHttpHeaders, start: string | Uint8Array): () => void {
  const sent = httpRequest(url, { method: 'POST', agent: false, headers }).on('error', () => undefined);
  sent.write(start);
  return () => void sent.destroy();
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
