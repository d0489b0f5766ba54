import { request as httpRequest } from 'node:http';
import { assertConforms } from './conformance.js';
import type { Answer, TestService } from './service.js';

export interface RawRequest {
  readonly method?: string | undefined;
  readonly path?: string;
  readonly headers?: Record<string, string | string[]>;
  /** Raw chunks of the body. If there is no Content-Length header, they are sent as chunked encoding. */
  readonly chunks?: ReadonlyArray<string | Uint8Array>;
}

/**
 * Sends a request byte for byte, for input that fetch rejects or corrects. The default is a JSON ingest with a valid
 * key.
 */
export function sendRaw(service: TestService, raw: RawRequest): Promise<Answer<Record<string, unknown>>> {
  const { method = 'POST', path = '/v1/ingest', chunks = [] } = raw;
  const headers = { 'X-Service-Key': service.key, 'Content-Type': 'application/json', ...raw.headers };
  return new Promise((resolve, reject) => {
    const request = httpRequest(service.url + path, { method, headers }, async (response) => {
      const parts: Uint8Array[] = [];
      for await (const part of response) parts.push(part as Uint8Array);
      try {
        const text = Buffer.concat(parts).toString();
        const status = response.statusCode ?? 0;
        const answer = new Response(text || null, { status, headers: response.headers as Record<string, string> });
        const body = text === '' ? undefined : JSON.parse(text);
        assertConforms(method, path.split('?')[0] ?? '', answer, body);
        resolve({ status, headers: answer.headers, body });
      } catch (error) {
        reject(error);
      }
    });
    request.on('error', reject);
    for (const chunk of chunks) request.write(chunk);
    request.end();
  });
}

/** Returns a reading of exactly `bytes` bytes. Only its length may be invalid. */
export function bodyOfBytes(service: TestService, bytes: number): string {
  const body = { session_id: 's1', timestamp: service.clock.at(), heart_rate: 70, user_message: '' };
  const missing = bytes - JSON.stringify(body).length;
  return JSON.stringify({ ...body, user_message: 'x'.repeat(missing) });
}

/** Fails if a part of a rejected request was stored. */
export async function expectNothingStored(service: TestService, sessionId = 's1'): Promise<void> {
  const { status } = await service.request(`/v1/state?session_id=${encodeURIComponent(sessionId)}`);
  if (status !== 404) throw new Error(`session ${sessionId} exists: a refused request stored something`);
}
