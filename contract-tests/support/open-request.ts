import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import type { TestService } from './service.js';

/**
 * Starts a valid ingest request, or a batch of one line, without sending its body, so that the service has a request in
 * flight.
 */
export async function openRequest(service: TestService, isBatch = false): Promise<{ finish(): Promise<number> }> {
  const body = JSON.stringify({ session_id: 'held', timestamp: service.clock.at(), heart_rate: 70 });
  const headers = {
    'X-Service-Key': service.key,
    'Content-Type': isBatch ? 'application/x-ndjson' : 'application/json',
    'Content-Length': Buffer.byteLength(body),
    Expect: '100-continue',
  };
  const path = isBatch ? '/v1/ingest/batch' : '/v1/ingest';
  const request = httpRequest(service.url + path, { method: 'POST', agent: false, headers });
  request.flushHeaders();
  // The service asks for the body after it has received the headers.
  await once(request, 'continue');
  return {
    async finish() {
      request.end(body);
      const [response] = await once(request, 'response');
      response.resume();
      return response.statusCode;
    },
  };
}
