import { sessionTokens as settings } from '../../generated/spec.js';
import type { OperationRecord } from './operation.js';

/** Issues a token. It ends with its key, at a whole second, because the times in a JWT have no fraction. */
export const createToken: OperationRecord<'createToken', 'sessionTokens' | 'now'> = {
  personalData: 'none',
  async handle({ sessionTokens, now }, { body }, { accountId, keyId, endsAtMs }) {
    const { session_id: sessionId, subject_id, scopes, expires_in = settings.expires_in_seconds } = body;
    const issuedAtMs = now();
    const expiresAtMs = Math.floor(Math.min(issuedAtMs / 1000 + expires_in, endsAtMs / 1000)) * 1000;
    const subject = subject_id === undefined ? {} : { subjectId: subject_id };
    const token = await sessionTokens.sign(
      { accountId, keyId, sessionId, ...subject, issuedAtMs, scopes },
      expiresAtMs,
    );
    const expires_at = new Date(expiresAtMs).toISOString();
    return { status: 200, body: { token, session_id: sessionId, scopes, expires_at } };
  },
};
