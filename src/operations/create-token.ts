import { sessionTokens as settings } from '../../generated/spec.js';
import type { Operation } from '../contract.js';
import type { Services } from './services.js';

/** Issues a token. It expires at a whole second, because the times in a JWT have no fraction. */
export function createToken({ sessionTokens, now }: Services): Operation<'createToken'> {
  return async ({ body }, { accountId, keyId }) => {
    const { session_id: sessionId, subject_id, scopes, expires_in = settings.expires_in_seconds } = body;
    const issuedAtMs = now();
    const expiresAtMs = Math.floor(issuedAtMs / 1000 + expires_in) * 1000;
    const subject = subject_id === undefined ? {} : { subjectId: subject_id };
    const token = await sessionTokens.sign(
      { accountId, keyId, sessionId, ...subject, issuedAtMs, scopes },
      expiresAtMs,
    );
    const expires_at = new Date(expiresAtMs).toISOString();
    return { status: 200, body: { token, session_id: sessionId, scopes, expires_at } };
  };
}
