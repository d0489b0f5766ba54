import { summaries, timestamps } from '../../generated/spec.js';
import type { Caller, Schema } from '../contract/contract.js';
import { ProblemError } from '../contract/problem.js';
import { isForPerson } from '../score/live.js';
import { createErasedIdTable } from '../store/erased-ids.js';
import { createFeedbackReader, createFeedbackWriter, type Report, type StoredReport } from '../store/feedback.js';
import type { ReportedObject } from '../store/published-score.js';
import type { WriteScope } from '../store/scope.js';
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
  countsPerSession: true,
  nameSession: (_query, _ownSession, { session_id }) => session_id,
  tool: {
    name: 'submit_feedback',
    title: 'Store how stressed the person feels',
    description: 'Store the stress that the person stated, 0 to 10. Never estimate it. Send session_id or subject_id.',
  },
  async handle(services, { body }, caller) {
    const { store, now } = services;
    checkTime(Date.parse(body.timestamp), services);
    const ids = identify(services, caller.accountId, body);
    const who = readOwner(body);
    const scope = store.read(caller.accountId);
    // The mean of hours of readings takes milliseconds, so it is computed before the transaction locks anything.
    const published = await createFeedbackReader(scope).findPublished(who, readTime(body));
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
      storeOnce(services, scopeOf(caller.accountId), caller, { who, ids, report }),
    );
    const { grant } = caller;
    const { subjectId } = stored;
    // The score of a person has evidence of other sessions. A token without the person, or without `read`, gets none.
    const isShown = !grant || (grant.canRead && (subjectId === undefined || isForPerson(grant, subjectId)));
    // A token of a session does not reveal the person of the session.
    const shown = { ...stored, subjectId: who.subjectId, ...(!isShown && { published: undefined }) };
    return { status: 200, body: toFeedback(shown) };
  },
};

interface Submitted {
  readonly who: ReportedObject;
  /** The id, and the ids with earlier keys. */
  readonly ids: readonly string[];
  readonly report: Report;
}

/** Stores the report. Returns the stored report if an identical body was stored before. */
async function storeOnce(
  { digestId }: Pick<Services, 'digestId'>,
  scope: WriteScope,
  { accountId, grant }: Caller,
  { who, ids, report }: Submitted,
): Promise<StoredReport> {
  const feedback = createFeedbackWriter(scope);
  const owner = await feedback.lock(who);
  if (!owner) throw new ProblemError(who.sessionId === undefined ? 'subject_not_found' : 'session_not_found');
  if (grant) {
    const { subject_id } = owner;
    const names = [
      { kind: 'session', id: who.sessionId ?? '' } as const,
      ...(subject_id === null ? [] : [{ kind: 'subject', id: subject_id } as const]),
    ];
    const erased = await createErasedIdTable(scope).find(names.flatMap((it) => digestId(accountId, it)));
    // A token from before an erasure must not send data of the person again.
    if ([...erased.values()].some((erasedAtMs) => grant.issuedAtMs <= erasedAtMs))
      throw new ProblemError('invalid_token', { cause: 'issued before an erasure' });
  }
  const stored = await feedback.find(ids);
  if (stored) return stored;
  await feedback.add(report, owner);
  return { ...report, ...who, subjectId: owner.subject_id ?? undefined };
}

function readOwner({ session_id: sessionId, subject_id: subjectId }: Submission): ReportedObject {
  return sessionId === undefined ? { subjectId: subjectId as string } : { sessionId };
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

/** Throws a ProblemError for a report about a time that is too old or in the future. */
function checkTime(timestampMs: number, { now, maxFeedbackAgeMs }: Pick<Services, 'now' | 'maxFeedbackAgeMs'>): void {
  const ageMs = now() - timestampMs;
  const [aheadMax, nowText] = [timestamps.max_ahead_seconds, new Date(now()).toISOString()];
  if (ageMs > maxFeedbackAgeMs) {
    const hint = { age: String(ageMs / 1000), max: String(maxFeedbackAgeMs / 1000), now: nowText };
    throw new ProblemError('feedback_too_old', { hint });
  }
  if (ageMs < -aheadMax * 1000)
    throw new ProblemError('timestamp_in_future', {
      hint: { ahead: String(-ageMs / 1000), max: String(aheadMax), now: nowText },
    });
}
