import { summaries } from '../../generated/spec.js';
import type { Schema } from '../contract/contract.js';
import { type Grant, isBeforeErasure } from '../contract/grant.js';
import { ProblemError } from '../contract/problem.js';
import { requireOne, type SessionOrPerson, toNames } from '../contract/whose.js';
import { checkAge } from '../readings/intake.js';
import { createErasedIdTable, type ErasedId } from '../store/erased-ids.js';
import { createFeedbackReader, createFeedbackWriter, type Report, type ReportOwner } from '../store/feedback.js';
import type { WriteScope } from '../store/scope.js';
import { restrictReport } from '../view/grant.js';
import { toFeedback } from './list-feedback.js';
import type { OperationRecord, Services } from './operation.js';

const digestLength = 20;
type Submission = Schema<'FeedbackSubmission'>;

/** Stores a report of a person with the score that was published for its time. */
export const submitFeedback: OperationRecord<
  'submitFeedback',
  'store' | 'now' | 'digestId' | 'digestFeedback' | 'maxFeedbackAgeMs'
> = {
  personalData: 'writes',
  tool: {
    name: 'submit_feedback',
    title: 'Store how stressed the person feels',
    description: 'Store the stress that the person stated, 0 to 10. Never estimate it. Send session_id or subject_id.',
  },
  async handle(services, { body, ...input }, caller) {
    const { store, now } = services;
    const whose = requireOne(input.whose);
    checkAge(Date.parse(body.timestamp), now(), services.maxFeedbackAgeMs, 'feedback_too_old');
    const ids = identify(services, caller.accountId, body);
    const scope = store.read(caller.accountId);
    // The mean of hours of readings takes milliseconds, so it is computed before the transaction locks anything.
    const published = await createFeedbackReader(scope).findPublished(whose, readTime(body));
    const report: Report = {
      id: ids[0] as string,
      timestampMs: Date.parse(body.timestamp),
      durationSeconds: body.duration_seconds,
      stress: body.stress,
      noteCode: body.note_code,
      published,
      recordedAtMs: now(),
    };
    const stored = await store.transact((scopeOf) =>
      storeOnce(services, scopeOf(caller.accountId), caller, { whose, ids, report }),
    );
    // Names what the request names: a token of a session does not reveal the person of the session.
    const unnamed = { ...stored, sessionId: undefined, subjectId: undefined };
    return { status: 200, body: { ...toFeedback(unnamed), ...toNames(whose) } };
  },
};

interface Submitted {
  readonly whose: SessionOrPerson;
  /** The id, and the ids with earlier keys. */
  readonly ids: readonly string[];
  readonly report: Report;
}

/** Stores the report. Returns the stored report, also an earlier one of an identical body, as the caller may see it. */
async function storeOnce(
  { digestId }: Pick<Services, 'digestId'>,
  scope: WriteScope,
  caller: Grant,
  { whose, ids, report }: Submitted,
): Promise<Report> {
  const feedback = createFeedbackWriter(scope);
  const owner = await feedback.lock(whose);
  if (!owner) throw new ProblemError(whose.kind === 'person' ? 'subject_not_found' : 'session_not_found');
  if (caller.issuedAtMs !== undefined)
    await requireNoErasure(
      scope,
      caller,
      listErasable(owner).flatMap((it) => digestId(caller.accountId, it)),
    );
  const stored = await feedback.find(ids);
  if (!stored) await feedback.add(report, owner);
  return restrictReport(stored ?? report, caller, owner.subject_id ?? undefined);
}

function listErasable({ session_id, subject_id }: ReportOwner): ErasedId[] {
  return [
    ...(session_id === undefined ? [] : [{ kind: 'session', id: session_id } as const]),
    ...(subject_id === null ? [] : [{ kind: 'subject', id: subject_id } as const]),
  ];
}

/** Throws a ProblemError for a token from before an erasure, which must not send data of the person again. */
async function requireNoErasure(scope: WriteScope, grant: Grant, digests: readonly string[]): Promise<void> {
  const erased = await createErasedIdTable(scope).find(digests);
  if ([...erased.values()].some((erasedAtMs) => isBeforeErasure(grant, erasedAtMs)))
    throw new ProblemError('invalid_token', { cause: 'issued before an erasure' });
}

/** Returns the time whose readings count. A moment has the score of the newest reading before it. */
function readTime({ timestamp, duration_seconds }: Submission) {
  const untilMs = Date.parse(timestamp);
  const seconds = duration_seconds ?? summaries.state_seconds_max;
  return { afterMs: untilMs - seconds * 1000, untilMs, isMoment: duration_seconds === undefined };
}

/** Returns the ids of a report. Two bodies have the same id if their JSON is equal, with any order of fields. */
function identify({ digestFeedback }: Pick<Services, 'digestFeedback'>, accountId: string, body: Submission): string[] {
  const fields = Object.entries(body).sort(([a], [b]) => (a < b ? -1 : 1));
  return digestFeedback(JSON.stringify([accountId, fields])).map((digest) => `fb_${digest.slice(0, digestLength)}`);
}
