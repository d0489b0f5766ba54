import { sources as settings } from '../../generated/spec.js';
import { toMinuteKey } from '../../packages/recordings/history.js';
import type { Schema } from '../contract/contract.js';
import { ProblemError } from '../contract/problem.js';
import { toMonth } from '../limits/monthly-calls.js';
import type { Outcome } from '../readings/group.js';
import type { Post, PostedReading } from '../readings/post.js';
import { createErasedIdTable } from '../store/erased-ids.js';
import { findLiveMinutes } from '../store/live-minutes.js';
import { createSourceKeyTable } from '../store/source-keys.js';
import type { SlicedScope } from '../store/scope.js';
import type { Store } from '../store/store.js';
import { createUsageTable } from '../store/usage.js';
import type { OperationRecord } from './operation.js';

/** What an app posted, as readings. Plain data. */
export type PreparedPost = Post;

/** Readings of one transaction, so that a post does not fill the queue in which other readings wait. */
const readingsAtOnce = 160;
const windowMs = settings.stored_readings.window_seconds * 1000;

/** Why a reading is not stored, by the code of its error. */
const reasons: Readonly<Record<string, string>> = {
  consent_required: 'no_consent',
  timestamp_too_old: 'too_old',
  sample_too_old: 'too_old',
  rate_limit_exceeded: 'rate',
};

/**
 * Stores the readings of a post. Responds with 200 also if none is usable. Rejects if nothing was stored because of an outage,
 * so that the app sends the body again.
 */
export const submitSource: OperationRecord<'submitSource', 'store' | 'commit' | 'now' | 'digestId', PreparedPost> = {
  personalData: 'writes',
  takes: 'source',
  async handle({ store, commit, now, digestId }, { body: { readings, skipped, device, neededHours } }, caller) {
    const { accountId, sender, keyId } = caller;
    if (!sender) throw new Error('a post requires a source key');
    const scope = store.read(accountId);
    const digests = digestId(accountId, { kind: 'subject', id: sender.subjectId });
    const isErased = async () =>
      Math.max(0, ...(await createErasedIdTable(scope).find(digests)).values()) >= sender.createdAtMs;
    const result: Schema<'SourceResult'> = { stored: 0, unchanged: 0, replaced: 0, skipped: { ...skipped } };
    const skip = (reason: string, count: number) => {
      if (count > 0) result.skipped[reason] = (result.skipped[reason] ?? 0) + count;
    };
    const unknown = await omitLiveMinutes(scope, readings);
    result.unchanged = readings.length - unknown.length;
    const quota = findQuota(store, `${accountId} ${sender.subjectId}`, now());
    for (let from = 0; from < unknown.length;) {
      const some = unknown.slice(from, from + Math.min(readingsAtOnce, quota.left));
      if (some.length === 0 || (await isErased())) {
        skip(some.length === 0 ? 'rate' : 'erased', unknown.length - from);
        break;
      }
      const before = result.stored;
      countOutcomes(
        result,
        skip,
        await commit(
          caller,
          some.map(({ reading }) => reading),
        ),
      );
      quota.left -= result.stored - before;
      from += some.length;
    }
    const post: Schema<'SourceKeyPost'> = {
      usable: result.stored + result.unchanged + result.replaced > 0,
      ...(device !== undefined && { device }),
      skipped: Object.keys(result.skipped).sort(),
      ...(neededHours !== undefined && { readings_hours: neededHours }),
    };
    await store.run((knex) => createSourceKeyTable({ knex, accountId }).recordUse(keyId, now(), post));
    await store.use(createUsageTable).add([{ accountId, month: toMonth(now()), calls: result.stored }]);
    return { status: 200, body: result };
  },
};

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

interface Quota {
  left: number;
  readonly untilMs: number;
}

/** Newly stored readings that each person has left, by the store of this process. */
const quotas = new WeakMap<Store, Map<string, Quota>>();

function findQuota(store: Store, person: string, nowMs: number): Quota {
  const all = quotas.get(store) ?? new Map<string, Quota>();
  quotas.set(store, all);
  for (const [key, { untilMs }] of all) if (untilMs <= nowMs) all.delete(key);
  const quota = all.get(person) ?? { left: settings.stored_readings.quota, untilMs: nowMs + windowMs };
  all.set(person, quota);
  return quota;
}
