import type { Schema } from '../contract/contract.js';
import { isExpired } from '../contract/consent.js';
import type { StoredConsent } from '../store/consents.js';

/** Returns a version of a consent as the contract defines it. */
export function toConsent(subjectId: string, stored: StoredConsent, nowMs: number): Schema<'Consent'> {
  const { version, categories, purposes, context, eventMs, expiresAtMs, recordId, recordedAtMs } = stored;
  const given = stored.isUnverified ? 'unverified' : 'given';
  return {
    subject_id: subjectId,
    version,
    categories: [...categories],
    purposes: [...purposes],
    context,
    event_time: new Date(eventMs).toISOString(),
    ...(expiresAtMs !== undefined && { expires_at: new Date(expiresAtMs).toISOString() }),
    ...(recordId !== undefined && { record_id: recordId }),
    event_state: categories.length === 0 ? 'withdrawn' : isExpired(stored, nowMs) ? 'expired' : given,
    recorded_at: new Date(recordedAtMs).toISOString(),
  };
}
