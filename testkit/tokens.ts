import type { Schema } from '../src/contract/contract.js';
import type { TestService } from './service.js';

/** Issues a session token with the service's key. */
export async function issueToken(
  service: Pick<TestService, 'post'>,
  request: Partial<Schema<'TokenRequest'>> = {},
): Promise<string> {
  const { status, body } = await service.post('/v1/tokens', {
    session_id: 's1',
    scopes: ['ingest', 'read'],
    ...request,
  });
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body.token;
}

/** Returns the headers of a request with a token and without a key. */
export function bearer(token: string): Record<string, string> {
  return { Authorization: `Bearer ${token}`, 'X-Service-Key': '' };
}
