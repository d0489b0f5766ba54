import { isDeepStrictEqual } from 'node:util';
import { consent as contract } from '../../generated/spec.js';
import type { BodyOf } from '../contract/contract.js';
import { createValidationError, ProblemError } from '../contract/problem.js';
import { keepAllowedValues, hasStatedPurpose } from '../readings/consent.js';
import { checkAge } from '../readings/intake.js';
import { removeDisallowedValues } from '../retention/remove-live-values.js';
import { type AllowedCategories, findRefusedCategories, narrowConsent, readAllowed } from '../contract/consent.js';
import type { Consent } from '../../packages/score/rows/person.js';
import { unknownSubject } from '../../packages/score/triggers.js';
import { createConsentWriter, type StoredConsent } from '../store/consents.js';
import { runStatements } from '../store/rows.js';
import type { WriteScope } from '../store/scope.js';
import { createSubjectWriter } from '../store/subjects.js';
import { toConsent } from './consent-view.js';
import type { OperationRecord } from './operation.js';

/** What a person decided, without the fields that the service adds. */
type Decision = NonNullable<StoredConsent['sent']>;

/** Records a consent. Responds after the values of withdrawn categories are removed. */
export const putConsent: OperationRecord<'putConsent', 'store' | 'now'> = {
  personalData: 'writes',
  async handle({ store, now }, { params: { subject_id }, body }, { accountId, settings, kind }) {
    // The page of a person only withdraws: it does not state what a consent is for.
    if (kind === 'link' && body.categories.length > 0)
      throw createValidationError('too_many_items', { pointer: '/categories' }, '0');
    const mode = settings?.consent ?? 'off';
    if (mode === 'off') throw new ProblemError('consent_off');
    const nowMs = now();
    const decision = toDecision(body);
    checkAge(decision.eventMs, nowMs, Infinity);
    const hasPurpose = hasStatedPurpose(settings);
    requirePermitted(decision, hasPurpose);
    // Only an account that enforces consent deletes data.
    const findAllowed = (consent: Consent) =>
      mode === 'enforce' ? readAllowed(consent, hasPurpose, nowMs) : undefined;
    const recorded = await store.transact((scopeOf) =>
      record(scopeOf(accountId), subject_id, decision, findAllowed, nowMs),
    );
    if (recorded instanceof ProblemError) throw recorded;
    const allowed = findAllowed(recorded);
    if (allowed) await removeDisallowedValues(store, { accountId, subjectId: subject_id }, allowed, nowMs);
    return { status: 200, body: toConsent(subject_id, recorded, nowMs) };
  },
};

/**
 * Stores a decision as a new version, unless the newest version is the same. Readings take the lock of the subject too,
 * so each of them is stored either before the decision or in accordance with it.
 */
async function record(
  scope: WriteScope,
  subjectId: string,
  decision: Decision,
  findAllowed: (consent: Consent) => AllowedCategories | undefined,
  nowMs: number,
): Promise<StoredConsent | ProblemError> {
  const [subjects, consents] = [createSubjectWriter(scope), createConsentWriter(scope)];
  const known = (await subjects.lock([subjectId])).get(subjectId) ?? unknownSubject;
  const [stored] = await consents.page(subjectId, 1);
  // A version that the service did not write allows nothing. Its times count, because it may withdraw.
  const newest = stored?.isUnverified ? { ...stored, categories: [] } : stored;
  const recorded = follow(newest, decision, nowMs);
  if (recorded !== newest && recorded.version === stored?.version) {
    await consents.save(subjectId, { ...stored, latestMs: recorded.latestMs });
    return new ProblemError('consent_outdated', { values: { newest: new Date(recorded.latestMs).toISOString() } });
  }
  if (recorded !== newest) await consents.save(subjectId, recorded);
  const { version, categories, context, expiresAtMs } = recorded;
  const consent: Consent = { version, categories, context, expiresAtMs };
  const allowed = findAllowed(consent);
  const subject = allowed ? keepAllowedValues(known, allowed) : known;
  // A consent may end a silence of alert rules.
  const alert = known.alert && { ...known.alert, dueMs: nowMs };
  await runStatements(scope, subjects.toSave(new Map([[subjectId, { ...subject, consent, alert }]])));
  return recorded;
}

/**
 * Returns the newest version after a decision: a version with the same number if the decision does not count, and the
 * same object for a resend.
 *
 * The clocks of clients differ, so a withdrawal wins in doubt: at the same time, and over a time in the future. Of a
 * decision in doubt, only what it withdraws counts, also when it is sent again later.
 */
function follow(newest: StoredConsent | undefined, decision: Decision, nowMs: number): StoredConsent {
  const { eventMs } = decision;
  const next = { ...decision, version: (newest?.version ?? 0) + 1, recordedAtMs: nowMs, latestMs: eventMs };
  if (!newest) return next;
  if (!newest.isUnverified && isSame(newest, decision)) return newest;
  const aheadMaxMs = Math.max(0, newest.eventMs - newest.recordedAtMs) + contract.further_ahead_seconds * 1000;
  if (eventMs > newest.latestMs && eventMs <= nowMs + aheadMaxMs) return next;
  const latestMs = Math.max(newest.latestMs, eventMs);
  const isEarlier = newest.eventMs <= nowMs && eventMs < Math.min(newest.eventMs, newest.recordedAtMs);
  const narrowed = narrowConsent(next, newest);
  const withdrawsNothing = narrowed !== next && narrowConsent(newest, decision) === newest;
  if (isEarlier || withdrawsNothing) return { ...newest, latestMs };
  return { ...narrowed, latestMs, ...(narrowed !== next && { sent: decision }) };
}

function isSame({ version: _, recordedAtMs: __, latestMs: ___, sent, ...stored }: StoredConsent, decision: Decision) {
  // JSON drops fields that are undefined.
  return isDeepStrictEqual(sent ?? stored, JSON.parse(JSON.stringify(decision)));
}

function toDecision({ event_time, expires_at, record_id, ...body }: BodyOf<'putConsent'>): Decision {
  return {
    categories: body.categories,
    purposes: body.purposes,
    context: body.context,
    eventMs: Date.parse(event_time),
    ...(expires_at !== undefined && { expiresAtMs: Date.parse(expires_at) }),
    ...(record_id !== undefined && { recordId: record_id }),
  };
}

/** Throws biometrics_refused if the context of the decision does not permit one of its categories. */
function requirePermitted(decision: Decision, hasPurpose: boolean): void {
  const refused = findRefusedCategories(decision, hasPurpose);
  if (refused.length === 0) return;
  const values = { context: decision.context, categories: refused.join(', ') };
  throw new ProblemError('biometrics_refused', { values });
}
