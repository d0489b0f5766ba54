import { hash } from 'node:crypto';
import { setImmediate as runOtherWork } from 'node:timers/promises';
import { timestamps } from '../../generated/spec.js';
import { type OwnWords, splitOwnWords } from '../../packages/text/own-words.js';
import type { MessageCheck } from '../../packages/text/check-message.js';
import type { Texts } from '../../packages/text/texts.js';
import type { Fault, Submission } from '../contract/contract.js';
import { findKeptMs, type Grant, isToken } from '../contract/grant.js';
import { createFault, createHint, ProblemError } from '../contract/problem.js';
import { readWhose, toWhoseKey } from '../contract/whose.js';
import type { LoadSums } from '../limits/load-sums.js';
import type { CountedCall } from '../limits/monthly-calls.js';
import { listCategories, requiredNames } from '../../packages/score/signals.js';
import { type Allowance, countRequest, type WindowLimit } from '../limits/window-limit.js';
import { digestLength } from '../store/readings.js';
import { sampleKeyLength } from '../store/tables/sessions.js';
import { isGranted } from '../view/grant.js';
import type { ResolveSession } from '../view/own-sessions.js';
import {
  findDevice,
  findDeviceFaults,
  type FindStored,
  type Named,
  type NamedSubmission,
  nameSession,
} from './device.js';
import { type IsTextAllowed, createConsentCheck, hasText, hasStatedPurpose } from './consent.js';
import type { PreparedReading, SampleIdentity } from './prepared-reading.js';

/** The sender of a reading. */
export interface Sender {
  readonly caller: Grant;
  /**
   * The call that counts against the monthly quota. Undefined if the reading belongs to a call that is already counted.
   */
  readonly call: CountedCall | undefined;
}

/** The outcome of the checks of a reading. */
export interface AdmissionResult {
  /** An error if the reading is rejected. */
  readonly reading: PreparedReading | ProblemError;
  /** The state of each limit that admitted the reading. */
  readonly allowances: readonly Allowance[];
}

/** Checks a reading and prepares it for the core. `faults` are validation errors outside of the reading. */
export type Admit = (sender: Sender, value: unknown, faults?: readonly Fault[]) => Promise<AdmissionResult>;

export interface IntakeParts extends PreparationParts {
  readonly texts: Pick<Texts, 'analyze' | 'load'>;
  /** Rejects with a ProblemError that has all validation errors of a reading. */
  readonly validate: (value: unknown, faults: readonly Fault[]) => Promise<void>;
  /**
   * Counts a request that names a session or a person: `sessionRequests(accountId, toWhoseKey(whose))`. Not called for
   * readings that a key backfills.
   */
  readonly sessionRequests: WindowLimit;
  /** Called for readings with text of accounts that enforce consent. */
  readonly allowsText: IsTextAllowed;
  readonly resolveSession: ResolveSession;
  /** Finds the devices of readings. */
  readonly findStored: FindStored;
  readonly load: LoadSums;
}

/**
 * Returns the function that checks and prepares every reading: of `POST /v1/ingest`, of the lines of a batch and of the
 * tool `ingest`. Runs on the HTTP thread, so that neither validation nor topic detection delays the database.
 */
export function createIntake(parts: IntakeParts): Admit {
  const { validate, sessionRequests, allowsText, resolveSession, findStored, load, texts } = parts;
  const prepare = createPrepareReading(parts);

  async function readSubmission(caller: Grant, value: unknown, faults: readonly Fault[]): Promise<NamedSubmission> {
    const body = withSubject(caller.subjectId, value);
    await validate(body, faults);
    const submission = body as NamedSubmission;
    requireGranted(caller, submission);
    if (caller.namespace === undefined) return submission;
    const { session_id } = submission;
    return { ...submission, session_id: await resolveSession(caller, session_id, { pointer: '/session_id' }) };
  }

  /** Reads a submission with a device. Only a session token gets past the validation without one, and is then rejected. */
  async function readOfDevice(caller: Grant, value: Parameters<typeof findDevice>[2], faults: readonly Fault[]) {
    const device = await findDevice(findStored, caller, value);
    const body = withSubject(device?.subjectId ?? caller.subjectId, value);
    await validate(body, [...faults, ...findDeviceFaults(caller, value, device)]);
    if (!device) throw new ProblemError('invalid_token', { cause: 'a session token names no device' });
    const named = nameSession(device, body as Submission);
    requireGranted(caller, named.submission);
    return named;
  }

  async function prepareAllowed(caller: Grant, submission: NamedSubmission): Promise<PreparedReading> {
    const isEnforced = caller.settings?.consent === 'enforce';
    const mayRead = !isEnforced || (await mayReadText(caller, submission));
    // In parts, so that the first text after a start does not delay the requests of others.
    if (mayRead && submission.user_message !== undefined) await texts.load(runOtherWork);
    const end = load.begin(caller.accountId);
    try {
      return prepare(caller, submission, mayRead);
    } finally {
      end();
    }
  }

  async function mayReadText(caller: Grant, submission: NamedSubmission): Promise<boolean> {
    if (!hasText(submission)) return true;
    const { accountId, settings } = caller;
    const { session_id: sessionId, subject_id } = submission;
    const subject = subject_id === undefined ? {} : { subjectId: subject_id };
    return allowsText({ accountId, sessionId, ...subject, hasPurpose: hasStatedPurpose(settings) });
  }

  return async ({ caller, call }, value, faults = []) => {
    const read = namesDevice(value) ? readOfDevice(caller, value, faults) : readSubmission(caller, value, faults);
    const named = await read.catch(returnProblem);
    if (named instanceof ProblemError) return { reading: named, allowances: [] };
    const isOfDevice = 'submission' in named;
    const submission = isOfDevice ? named.submission : named;
    const isUncounted = submission.backfill && !isToken(caller);
    const { allowances, refusal } = await countRequest(
      () => call?.admit(),
      () => (isUncounted ? undefined : sessionRequests(caller.accountId, toWhoseKey(readWhose(submission)))),
    );
    const reading = refusal ?? (await prepareAllowed(caller, submission).catch(returnProblem));
    if (isOfDevice && !(reading instanceof ProblemError))
      return { reading: { ...reading, device: named.device }, allowances };
    return { reading, allowances };
  };
}

function requireGranted(caller: Grant, submission: NamedSubmission): void {
  if (!isGranted(caller, readWhose(submission)))
    throw new ProblemError('invalid_token', { cause: 'not valid for this session' });
}

function returnProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  throw error;
}

/**
 * Adds the subject of the token to a reading without one. Runs before the validation, which requires a subject for a
 * conversation turn.
 */
function withSubject(subjectId: string | undefined, value: unknown): unknown {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (subjectId === undefined || !isObject || Object.hasOwn(value, 'subject_id')) return value;
  return { ...value, subject_id: subjectId };
}

export interface PreparationParts {
  readonly texts: Pick<Texts, 'analyze'>;
  /** Keys of the digests that detect resent readings, the newest first. */
  readonly digestKeys: readonly [string, ...string[]];
  /** Returns the current time in epoch ms. */
  readonly now: () => number;
  readonly maxTimestampAgeMs: number;
  /** Maximum age of the timestamp of a backfilled reading: the retention of readings, unless the account has its own. */
  readonly maxBackfillAgeMs: number;
}

/**
 * Converts a validated submission, whose session is named, to a reading that can be stored. Analyzes its texts only if `mayReadText`. Throws a
 * ProblemError if the submission has no signal, or if its timestamp is too old or too far in the future.
 */
export type PrepareReading = (caller: Grant, submission: Submission, mayReadText?: boolean) => PreparedReading;

export function createPrepareReading(parts: PreparationParts): PrepareReading {
  const { texts, now, maxTimestampAgeMs, maxBackfillAgeMs } = parts;
  const [digestKey, ...earlierKeys] = parts.digestKeys;
  return (caller, { backfill: isBackfill = false, ...submission }, mayReadText = true) => {
    const { accountId, settings } = caller;
    const {
      session_id = '',
      subject_id,
      timestamp,
      user_message,
      ai_response,
      derive_sentiment,
      ...stated
    } = submission;
    const derives = derive_sentiment ?? settings?.derive_sentiment ?? false;
    // A message may consist of what a front end adds. It is then no message of the person.
    const said = user_message === undefined ? undefined : splitOwnWords(user_message);
    const words = said?.own || undefined;
    const source = derives && stated.sentiment === undefined ? words : undefined;
    const timestampMs = Date.parse(timestamp);
    if (stated.sample_revision !== undefined && stated.sample_id === undefined) throw withoutSampleId();
    // Cheap checks run first, so that a rejected reading needs no topic detection.
    if (listCategories(stated).length === 0 && source === undefined)
      throw new ProblemError('missing_signals', { explanation: { signals: requiredNames.join(', ') } });
    checkAge(timestampMs, now(), isBackfill ? findKeptMs(caller, maxBackfillAgeMs) : maxTimestampAgeMs);
    const isChecked = mayReadText && !isBackfill && said !== undefined;
    const isRead = mayReadText && source !== undefined;
    const analysis =
      words !== undefined && (isChecked || isRead)
        ? texts.analyze(words, isChecked ? ai_response : undefined)
        : undefined;
    const isLiveTurn = !isBackfill && user_message !== undefined && ai_response !== undefined;
    const consent = settings?.consent === 'enforce' && createConsentCheck(caller, submission, mayReadText);
    const sentiment = isRead ? analysis?.sentiment : undefined;
    return {
      accountId,
      sessionId: session_id,
      ...(subject_id !== undefined && { subjectId: subject_id }),
      ...(isToken(caller) && { grant: caller }),
      timestampMs,
      signals: sentiment === undefined ? stated : { ...stated, sentiment, derived: ['sentiment'] },
      ...(isBackfill && { isBackfill }),
      ...(isLiveTurn && { isLiveTurn }),
      ...(analysis?.turn && { turn: analysis.turn }),
      ...(isChecked && { check: withRemoved(analysis?.check, said.removed) }),
      ...(isRead && sentiment === undefined && { unreadText: analysis?.check.isForeign ? 'language' : 'words' }),
      ...(stated.sample_id !== undefined && { sample: toSample(session_id, stated.sample_id, stated.sample_revision) }),
      ...(consent && { consent }),
      ...(settings?.share_signals === false && { sharesSignals: false as const }),
      // Does not cover `backfill`, so that a resend of a reading as backfill is detected.
      digest: digestBody(digestKey, accountId, submission),
      ...(earlierKeys.length > 0 && {
        earlierDigests: earlierKeys.map((key) => digestBody(key, accountId, submission)),
      }),
    };
  };
}

/** Returns the check of the own words of a message. `check` is undefined if it has none. */
function withRemoved(check: MessageCheck = { isForeign: false, isOthers: true }, removed: OwnWords['removed']) {
  return removed.length > 0 ? { ...check, removed } : check;
}

function withoutSampleId(): ProblemError {
  return new ProblemError('validation_failed', { faults: [createFault('missing', { pointer: '/sample_id' })] });
}

/** The digest is not keyed, because the row of the reading contains the id. */
function toSample(sessionId: string, sampleId: string, revision = 0): SampleIdentity {
  return { key: hash('sha256', `${sessionId} ${sampleId}`).slice(0, sampleKeyLength), revision };
}

/** Throws a ProblemError for a timestamp that is older than `maxAgeMs`, or too far in the future. Times are epoch ms. */
export function checkAge(
  timestampMs: number,
  nowMs: number,
  maxAgeMs: number,
  tooOld: 'timestamp_too_old' | 'feedback_too_old' = 'timestamp_too_old',
): void {
  const ageMs = nowMs - timestampMs;
  const maxAheadMs = timestamps.max_ahead_seconds * 1000;
  if (ageMs <= maxAgeMs && ageMs >= -maxAheadMs) return;
  const now = new Date(nowMs).toISOString();
  if (ageMs > maxAgeMs)
    throw new ProblemError(tooOld, {
      explanation: { age: seconds(ageMs), max: seconds(maxAgeMs), now },
      maxAgeSeconds: Math.floor(maxAgeMs / 1000),
    });
  throw new ProblemError('timestamp_in_future', {
    explanation: { ahead: seconds(-ageMs), max: seconds(maxAheadMs), now },
    hint: createHint(-ageMs > offsetMaxMs + maxAheadMs ? 'time_unit' : 'clock_or_zone'),
  });
}

/** The largest offset of a time zone. */
const offsetMaxMs = 14 * 3_600_000;

/** Formats seconds with milliseconds, so that a value just above the limit does not look equal to the limit. */
function seconds(ms: number): string {
  return String(Math.round(ms) / 1000);
}

/**
 * Returns the digest that detects a resent body: `digestLength` hex characters. Two bodies in the same session and
 * account have the same digest if their JSON is equal, with any order of fields.
 *
 * The digest is keyed, because a plain digest of a short text could be guessed from a copy of the database. SHA-256
 * with a secret prefix is safe here, because no JSON array is a prefix of another one (Bellare, Canetti and Krawczyk,
 * 1996). It takes a third of the time of HMAC.
 */
function digestBody(key: string, accountId: string, submission: Submission): string {
  const fields = Object.entries(submission).sort(([a], [b]) => (a < b ? -1 : 1));
  const canonical = JSON.stringify([accountId, fields]);
  return hash('sha256', key + canonical).slice(0, digestLength);
}

/** Returns true for a body that names a device. Here, because it runs for each reading. */
function namesDevice(body: unknown): body is Named {
  return typeof body === 'object' && body !== null && !Array.isArray(body) && Object.hasOwn(body, 'device_id');
}
