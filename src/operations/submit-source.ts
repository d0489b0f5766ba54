import { toMinuteKey } from '../../packages/recordings/history.js';
import type { Schema } from '../contract/contract.js';
import type { Grant } from '../contract/grant.js';
import { ProblemError } from '../contract/problem.js';
import { toMonth } from '../limits/monthly-calls.js';
import type { Outcome } from '../readings/account.js';
import { putFact } from '../readings/facts.js';
import type { Post, PostedFact, PostedGroup, PostedReading, PostedReport } from '../readings/post.js';
import { findLiveMinutes } from '../store/live-minutes.js';
import { retry } from '../store/retry.js';
import { createSourceKeyTable } from '../store/source-keys.js';
import type { SlicedScope } from '../store/scope.js';
import { createUsageTable } from '../store/usage.js';
import type { OperationRecord, Services } from './operation.js';
import { submitFeedback } from './submit-feedback.js';

/** Readings of one transaction, for which those of other accounts wait. */
const readingsAtOnce = 16;

/** Why a reading is not stored, by the code of its error. */
const reasons: Readonly<Record<string, string>> = {
  consent_required: 'no_consent',
  timestamp_too_old: 'too_old',
  feedback_too_old: 'too_old',
  sample_too_old: 'too_old',
  rate_limit_exceeded: 'rate',
  subject_not_found: 'unknown_person',
  // The reading was sent with a key from before the erasure.
  invalid_token: 'erased',
};

type Uses =
  | 'store'
  | 'commit'
  | 'now'
  | 'digestId'
  | 'scoreAgain'
  | 'digestFeedback'
  | 'maxFeedbackAgeMs'
  | 'countStored'
  | 'log';

type Result = Schema<'SourceResult'> & Required<Pick<Schema<'SourceResult'>, 'values'>>;

/** A post in progress. */
interface Progress {
  readonly services: Pick<Services, Uses>;
  readonly scope: SlicedScope;
  readonly caller: Grant;
  /** The grant with which a person's data are written. An erasure since then ends it. */
  readonly grantOf: (sessionId: string, subjectId: string) => Grant;
  readonly result: Result;
  readonly skip: (reason: string, count: number) => void;
  /** People who were erased since the post began. */
  readonly erased: Set<string>;
}

/**
 * Stores the readings of a post. Responds with 200 also if none is usable. Rejects if nothing was stored because of an outage,
 * so that the app sends the body again.
 */
export const submitSource: OperationRecord<'submitSource', Uses, Post> = {
  personalData: 'writes',
  takes: 'source',
  async handle(services, { body }, caller) {
    const { store, now, log } = services;
    const { accountId, keyId, subjectId } = caller;
    // Before people are looked up, so that each later erasure ends the grant.
    const issuedAtMs = subjectId === undefined ? now() : caller.issuedAtMs;
    const { values, notes } = body;
    const result: Result = {
      ...{ stored: 0, unchanged: 0, replaced: 0, skipped: { ...body.skipped }, values: { ...values } },
      ...(notes.length > 0 && { notes: [...notes] }),
    };
    const skip = (reason: string, count: number) => {
      if (count > 0) result.skipped[reason] = (result.skipped[reason] ?? 0) + count;
    };
    const grantOf = (session: string, person: string): Grant => ({
      ...{ ...caller, sessionId: session, subjectId: person },
      ...(issuedAtMs !== undefined && { issuedAtMs }),
    });
    const erased = new Set<string>();
    const progress = { services, scope: store.read(accountId), caller, grantOf, result, skip, erased };
    const { facts, groups, reports } = await omitUnknownPeople(progress, body);
    // Before the readings, so that most of them are scored once, and those that are stored together for all facts.
    let stated = 0;
    const people = new Set<string>();
    const later = { ...services, scoreAgain: async (_: string, person: string) => void people.add(person) };
    for (const fact of facts) stated += await storeFact({ ...progress, services: later }, fact);
    for (const person of people) await services.scoreAgain(accountId, person);
    for (const group of groups) await storeGroup(progress, group);
    for (const report of reports) await storeReport(progress, report);
    const { device, neededHours } = body;
    const post: Schema<'SourceKeyPost'> = {
      usable: stated + result.stored + result.unchanged + result.replaced > 0,
      // The row of a hub is of no person, so an erasure would leave the device in it.
      ...(device !== undefined && subjectId !== undefined && { device }),
      skipped: Object.keys(result.skipped).sort(),
      ...(neededHours !== undefined && { readings_hours: neededHours }),
    };
    const calls = [{ accountId, month: toMonth(now()), calls: result.stored }];
    await retry(() => store.use(createUsageTable).add(calls));
    // The response does not wait, because the readings are stored.
    retry(() => store.run((knex) => createSourceKeyTable({ knex, accountId }).recordUse(keyId, now(), post))).catch(
      (err: unknown) => log.warn({ err }, 'last post of a source key not recorded: its next post is'),
    );
    return { status: 200, body: result };
  },
};

/** Leaves out what a hub sends of people without data, consent and source key. */
async function omitUnknownPeople({ services, scope, caller, result, skip }: Progress, post: Post): Promise<Post> {
  if (caller.subjectId !== undefined) return post;
  const named = new Set([...post.facts, ...post.groups, ...post.reports].map(({ subjectId }) => subjectId));
  const known = await createSourceKeyTable(scope).findKnown([...named], services.digestId);
  const isKnown = ({ subjectId }: { readonly subjectId: string }) => known.has(subjectId);
  for (const group of post.groups)
    if (!isKnown(group)) {
      skip('unknown_person', group.count);
      refuse(result, JSON.parse(group.json) as PostedReading[]);
    }
  const reports = post.reports.filter(isKnown);
  refuse(
    result,
    Array.from({ length: post.reports.length - reports.length }, () => valuesOfReport),
  );
  const facts = post.facts.filter(isKnown);
  skip('unknown_person', post.reports.length - reports.length + post.facts.length - facts.length);
  return { ...post, facts, groups: post.groups.filter(isKnown), reports };
}

/** Stores a group of readings, a few per transaction, until its person is erased or has no reading left in this hour. */
async function storeGroup(progress: Progress, { subjectId, count, json }: PostedGroup): Promise<void> {
  const { services, scope, caller, grantOf, result, skip, erased } = progress;
  const readings = JSON.parse(json) as PostedReading[];
  if (erased.has(subjectId)) {
    refuse(result, readings);
    return skip('erased', count);
  }
  const countStored = (stored: number) => services.countStored(stored, caller.accountId, subjectId);
  const waiting = await omitLiveMinutes(scope, readings);
  result.unchanged += readings.length - waiting.length;
  let left = await countStored(0);
  while (waiting.length > 0 && left > 0 && !erased.has(subjectId)) {
    const { stored, skipped } = { ...result, skipped: { ...result.skipped } };
    const some = waiting.splice(0, Math.min(readingsAtOnce, left));
    const granted = some.map(({ reading }) => ({ ...reading, grant: grantOf(reading.sessionId, subjectId) }));
    const outcomes = await services.commit(caller, granted);
    countOutcomes(result, skip, outcomes);
    refuse(
      result,
      some.filter((_, at) => outcomes[at] instanceof ProblemError),
    );
    left = await countStored(result.stored - stored);
    if (result.skipped['erased'] !== skipped['erased']) erased.add(subjectId);
  }
  skip(erased.has(subjectId) ? 'erased' : 'rate', waiting.length);
  refuse(result, waiting);
}

const valuesOfReport = { values: { used: 1, merged: 0 } };

/** Counts the values of readings or reports that are not stored as refused. */
function refuse({ values }: Result, refused: readonly Pick<PostedReading, 'values'>[]): void {
  for (const { values: of } of refused) {
    values.used -= of.used;
    values.merged -= of.merged;
    values.refused += of.used + of.merged;
  }
}

/** Stores a fact. Returns 1 if it is stored, also from before. */
async function storeFact({ services, grantOf, skip, erased }: Progress, { subjectId, fact }: PostedFact) {
  try {
    await putFact(services, grantOf('', subjectId), subjectId, fact);
    return 1;
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status >= 500) throw error;
    if (error.code === 'invalid_token') erased.add(subjectId);
    skip(reasons[error.code] ?? 'invalid', 1);
    return 0;
  }
}

/** Stores a mood as feedback of the person. A resend is the same report. */
async function storeReport({ services, grantOf, result, skip }: Progress, report: PostedReport): Promise<void> {
  const { subjectId, timestampMs, stress } = report;
  const body = { subject_id: subjectId, timestamp: new Date(timestampMs).toISOString(), stress };
  const input = { query: {}, params: {}, body, whose: { kind: 'person', subjectId } as const };
  try {
    await submitFeedback.handle(services, input, grantOf('', subjectId));
    result.reports = (result.reports ?? 0) + 1;
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status >= 500) throw error;
    skip(reasons[error.code] ?? 'invalid', 1);
    refuse(result, [valuesOfReport]);
  }
}

/** Adds the outcomes to the result. Throws if no reading of the group was stored because of an outage or an error. */
function countOutcomes(
  result: Schema<'SourceResult'>,
  skip: (reason: string, count: number) => void,
  outcomes: readonly Outcome[],
): void {
  const failures = outcomes.filter((it) => it instanceof ProblemError).filter(({ status }) => status >= 500);
  if (failures[0]) throw failures[0];
  for (const outcome of outcomes) {
    if (outcome instanceof ProblemError) skip(reasons[outcome.code] ?? 'invalid', 1);
    else result[outcome.sample ?? 'stored'] += 1;
  }
}

/** Leaves out minutes of the history that have live readings of the same device. */
async function omitLiveMinutes(scope: SlicedScope, readings: readonly PostedReading[]): Promise<PostedReading[]> {
  const spans = new Map<string, { readonly fromMs: number; untilMs: number }>();
  for (const { reading, minute } of readings) {
    const span = spans.get(reading.sessionId);
    // The readings of the history are in the order of their minutes.
    if (minute && span) span.untilMs = minute.atMs;
    else if (minute) spans.set(reading.sessionId, { fromMs: minute.atMs, untilMs: minute.atMs });
  }
  const live = new Set<string>();
  for (const [sessionId, { fromMs, untilMs }] of spans)
    for (const key of await findLiveMinutes(scope, sessionId, fromMs, untilMs)) live.add(key);
  return readings.filter(({ minute }) => !minute || !live.has(toMinuteKey(minute)));
}
