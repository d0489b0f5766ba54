import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import type { TestService } from './service.js';

const limitMs = 12_000;

/** Starts a valid ingest request, or a batch of one line, so that the service has a request in flight. */
export function openRequest(service: TestService, isBatch = false): Promise<() => Promise<number>> {
  const reading = { session_id: 'held', timestamp: service.clock.at(), heart_rate: 70 };
  return beginIngest(service.url, service.key, JSON.stringify(reading), isBatch);
}

/**
 * Starts an ingest request without sending its body. Resolves when the service has received the headers. The returned
 * function sends the body and resolves with the status.
 */
export async function beginIngest(
  url: string,
  key: string,
  body: string,
  isBatch = false,
): Promise<() => Promise<number>> {
  const headers = {
    'X-Service-Key': key,
    'Content-Type': isBatch ? 'application/x-ndjson' : 'application/json',
    'Content-Length': Buffer.byteLength(body),
    Expect: '100-continue',
  };
  const path = isBatch ? '/v1/ingest/batch' : '/v1/ingest';
  const request = httpRequest(url + path, { method: 'POST', agent: false, headers });
  // Ignores errors between the waits below, because an error without a listener would end the process.
  request.on('error', () => undefined);
  request.flushHeaders();
  await once(request, 'continue', { signal: AbortSignal.timeout(limitMs) });
  return async () => {
    request.end(body);
    const [response] = await once(request, 'response', { signal: AbortSignal.timeout(limitMs) });
    response.resume();
    return response.statusCode;
  };
}
