import { isDeepStrictEqual } from 'node:util';
import { enums } from '../../generated/spec.js';
import { type MinuteSamples, summarizeSamples, uniteSamples } from '../../packages/recordings/united.js';
import type { ReadingContent } from '../../packages/score/signals.js';
import type { SampledReading } from './progress.js';

/** What is stored of a minute of the history. */
export interface MinuteContent {
  readonly measured: ReadingContent;
  /** Absent in minutes of imports, and of earlier releases. */
  readonly samples?: MinuteSamples | undefined;
}

const levels = enums.ActivityLevel;

/**
 * Returns the body of a source with what is stored of its minute: fields that it does not have stay, and samples are united by
 * their times. Returns undefined if it adds nothing. Without times, the body with more samples counts (`sample_revision`).
 */
export function mergeMinute(content: MinuteContent, submitted: SampledReading): SampledReading | undefined {
  const { derived = [], ...measured } = content.measured;
  const stated = Object.fromEntries(
    Object.entries(measured).filter(([name]) => !(derived as readonly string[]).includes(name)),
  );
  const { samples: own = {}, signals } = submitted;
  if (!content.samples) return { ...submitted, signals: { ...stated, ...signals } };
  const samples = uniteSamples(content.samples, own);
  const level = Math.max(
    ...[stated['activity_level'], signals.activity_level].map((it) => levels.indexOf(it as never)),
  );
  const revision = countSamples(samples, signals.rr_intervals_ms?.length ?? 0);
  const merged: ReadingContent = {
    ...{ ...stated, ...signals, ...summarizeSamples(samples) },
    ...(levels[level] && { activity_level: levels[level] }),
    ...keepBeats(stated, signals),
    sample_revision: revision,
  };
  if (isDeepStrictEqual(merged, stated)) return undefined;
  return { ...submitted, signals: merged, samples, sample: { ...submitted.sample, revision } };
}

/** Returns the revision of a minute: the number of its samples. */
export function countSamples(samples: MinuteSamples, beats: number): number {
  const { steps_last_minute: _, respiratory_rate: __, ...counted } = samples;
  return Math.max(beats, ...Object.values(counted).map((all) => all.length), 0);
}

/** Returns the longer list of intervals, which have no times of their own. */
function keepBeats(a: ReadingContent, b: ReadingContent): Pick<ReadingContent, 'rr_intervals_ms'> {
  const [one, other] = [a.rr_intervals_ms ?? [], b.rr_intervals_ms ?? []];
  const isOther = other.length > one.length || (other.length === one.length && String(other) > String(one));
  const kept = isOther ? other : one;
  return kept.length > 0 ? { rr_intervals_ms: kept } : {};
}
