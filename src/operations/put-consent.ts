import { isDeepStrictEqual } from 'node:util';
import type { BodyOf } from '../contract.js';
import { type Allowed, type Consent, findRefusedCategories, readAllowed } from '../domain/consent.js';
import { unknownSubject } from '../domain/subject.js';
import { ProblemError } from '../problem.js';
import { keepBaseline, statesPurpose } from '../readings/consent.js';
import { checkAge } from '../readings/intake.js';
import { removeSubjectsValues } from '../retention/remove-live-values.js';
import type { StoredConsent } from '../store/consents.js';
import type { Writer } from '../store/store.js';
import { toConsent } from './consent-view.js';
import type { OperationRecord } from './operation.js';

/** What a person decided, without the fields that the service adds. */
type Decision = Omit<StoredConsent, 'version' | 'recordedAtMs'>;

/** Records a consent. Responds after the values of withdrawn categories are removed. */
export const putConsent: OperationRecord<'putConsent'> = {
  personalData: 'writes',
  async handle({ store, now }, { params: { subject_id }, body }, { accountId, settings }) {
    const mode = settings?.consent ?? 'off';
    if (mode === 'off') throw new ProblemError('consent_off');
    const nowMs = now();
    const decision = toDecision(body);
    checkAge(decision.eventMs, nowMs, Infinity);
    const hasPurpose = statesPurpose(settings);
    requirePermitted(decision, hasPurpose);
    // Stays undefined unless the account enforces consent, because nothing else may delete data.
    const allowed = mode === 'enforce' ? readAllowed({ version: 0, ...decision }, hasPurpose, nowMs) : undefined;
    const recorded = await store.transact((writerOf) =>
      record(writerOf(accountId), subject_id, decision, allowed, nowMs),
    );
    if (allowed) await removeSubjectsValues(store, { accountId, subjectId: subject_id }, allowed, nowMs);
    return { status: 200, body: toConsent(subject_id, recorded, nowMs) };
  },
};

/**
 * Stores a decision as a new version, unless the newest version is the same. Readings take the lock of the subject too,
 * so each of them is stored either before the decision or in accordance with it.
 */
async function record(
  { subjects, consents, run }: Writer,
  subjectId: string,
  decision: Decision,
  allowed: Allowed | undefined,
  nowMs: number,
): Promise<StoredConsent> {
  const known = (await subjects.lock([subjectId])).get(subjectId) ?? unknownSubject;
  const [newest] = await consents.page(subjectId, 1);
  if (newest && newest.eventMs > decision.eventMs)
    throw new ProblemError('consent_outdated', { values: { newest: new Date(newest.eventMs).toISOString() } });
  const isNew = !newest || !isSame(newest, decision);
  const version = (newest?.version ?? 0) + (isNew ? 1 : 0);
  const recorded = isNew ? { ...decision, version, recordedAtMs: nowMs } : newest;
  if (isNew) await consents.add(subjectId, recorded);
  const { categories, context, expiresAtMs } = recorded;
  const consent: Consent = { version, categories, context, expiresAtMs };
  const subject = allowed ? keepBaseline(known, allowed) : known;
  await run(subjects.toSave(new Map([[subjectId, { ...subject, consent }]])));
  return recorded;
}

function isSame({ version: _, recordedAtMs: __, ...stored }: StoredConsent, decision: Decision): boolean {
  // JSON drops fields that are undefined.
  return isDeepStrictEqual(stored, JSON.parse(JSON.stringify(decision)));
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
