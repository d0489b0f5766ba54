import { consent as contract } from '../../generated/spec.js';
import type { Submission } from '../contract/contract.js';
import { ProblemError } from '../contract/problem.js';
import {
  type AllowedCategories,
  isExpired,
  keepAllowed,
  keepAllowedLive,
  readAllowed,
  removeLiveValues,
} from '../contract/consent.js';
import type { Grant } from '../contract/grant.js';
import type { Subject } from '../../packages/score/rows/person.js';
import type { Session } from '../../packages/score/rows/session.js';
import { listCategories } from '../../packages/score/signals.js';
import type { ReadScope } from '../store/scope.js';
import { createSessionReader } from '../store/sessions.js';
import { createSubjectReader } from '../store/subjects.js';
import type { ConsentCheck, PreparedReading } from './prepared-reading.js';
import type { GroupProgress } from './progress.js';

/** The account and subject whose texts are analyzed. Plain data. */
export interface TextSource extends Pick<PreparedReading, 'accountId' | 'sessionId' | 'subjectId'> {
  readonly hasPurpose: boolean;
}

/** Returns true if the subject of a reading allows the analysis of its texts at this time. */
export type IsTextAllowed = (source: TextSource) => Promise<boolean>;

/** Returns true if the reading contains text. */
export function hasText(submission: Submission): boolean {
  return collectTexts(submission).length > 0;
}

/** Returns the check of a reading of an account that enforces consent. */
export function createConsentCheck({ settings }: Grant, submission: Submission, isTextRead: boolean): ConsentCheck {
  return { hasPurpose: hasStatedPurpose(settings), texts: collectTexts(submission), isTextRead };
}

/** Returns true if the account states a medical or safety purpose. */
export function hasStatedPurpose(settings: Grant['settings']): boolean {
  return (settings?.biometric_purpose ?? 'none') !== 'none';
}

/**
 * Reads the consent before the text is analyzed. The transaction that stores the reading decides again, because the
 * person may withdraw the consent in the meantime.
 */
export async function readTextConsent(
  scope: ReadScope,
  { sessionId, subjectId, hasPurpose }: TextSource,
  nowMs: number,
): Promise<boolean> {
  const id = subjectId ?? (await createSessionReader(scope).find(sessionId))?.session.subjectId;
  const consent = id === undefined ? undefined : (await createSubjectReader(scope).findConsenting(id))?.consent;
  return consent !== undefined && readAllowed(consent, hasPurpose, nowMs).has('textual');
}

/** The part of a reading that its subject allows, and the session without values of other categories. */
export interface AllowedReading {
  readonly reading: PreparedReading;
  readonly session: Session | undefined;
  /** Names of the fields that were removed. Absent if there are none. */
  readonly dropped?: readonly string[];
}

/**
 * Applies the consent of the subject to a reading. Returns a ProblemError if nothing of the reading is allowed. Runs
 * under the lock of the subject, which also the recording of a consent takes. No reading after a withdrawal therefore
 * passes.
 */
export function applyConsent(
  { subjects, nowMs }: GroupProgress,
  session: Session | undefined,
  reading: PreparedReading,
  check: ConsentCheck,
): AllowedReading | ProblemError {
  const subjectId = session?.subjectId ?? reading.subjectId;
  if (subjectId === undefined) return refuse('no_subject');
  const subject = subjects.get(subjectId);
  if (!subject?.consent) return refuse('not_recorded');
  if (subject.consent.isUnverified) return refuse('unverified');
  if (isExpired(subject.consent, nowMs)) return refuse('expired');
  const allowed = readAllowed(subject.consent, check.hasPurpose, nowMs);
  const { kept, dropped } = keepAllowed(reading.signals, allowed);
  if (listCategories(kept).length === 0) return refuse('nothing_left');
  subjects.set(subjectId, keepAllowedValues(subject, allowed));
  const isTextKept = check.isTextRead && allowed.has('textual');
  const all = isTextKept ? dropped : [...dropped, ...check.texts];
  const { turn: _, ...values } = reading;
  return {
    reading: isTextKept ? { ...reading, signals: kept } : { ...values, signals: kept },
    session: session && removeLiveValues(session, allowed),
    ...(all.length > 0 && { dropped: all }),
  };
}

/**
 * Returns the subject without its values of the categories that are not allowed. The baseline contains only heart data.
 */
export function keepAllowedValues(subject: Subject, allowed: AllowedCategories): Subject {
  const { baseline, live, turns } = subject;
  const isFollowed = allowed.has('cardiovascular') && allowed.has('textual');
  return {
    ...subject,
    turns: isFollowed ? turns : turns?.all && { all: turns.all },
    baseline: allowed.has('cardiovascular') ? baseline : undefined,
    live: live && keepAllowedLive(live, allowed),
  };
}

function refuse(reason: keyof typeof contract.refusals): ProblemError {
  return new ProblemError('consent_required', { explanation: { reason: contract.refusals[reason] } });
}

function collectTexts(submission: Submission): string[] {
  return (['user_message', 'ai_response'] as const).filter((name) => submission[name] !== undefined);
}
