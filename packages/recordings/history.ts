import sha256 from 'fast-sha256';
import type { Fact } from './measurement.js';
import type { RecordedReading } from './minutes.js';
import type { Submission } from './signals.js';

/*
 * How minutes become the history of a person, in an import and in a post of a source: one reading per minute and kind of
 * signal, stamped with the start of the minute, in the session of its UTC day. Its id says which minute of which device it
 * is, and its revision how many samples it has. So a minute is stored once, whichever import or source sends it.
 */

const minuteMs = 60_000;

/** A minute of a device. */
export interface DeviceMinute {
  /** Start in epoch ms. */
  readonly atMs: number;
  /** Undefined if the recording does not name the device. */
  readonly device: string | undefined;
}

/** A reading of the history. */
export interface HistoryReading<T extends RecordedReading = RecordedReading> {
  /** A body of a batch. */
  readonly submission: Submission;
  readonly minute: DeviceMinute;
  /** The recorded minute. One with a rate and variability has two readings. */
  readonly of: T;
  /** Numbers of the recorded values that the reading has. */
  readonly values: StatedValues;
}

/** Values that a reading has as they are, and those of which it has the mean or sum. */
export interface StatedValues {
  readonly used: number;
  readonly merged: number;
}

/** Returns the numbers of values that a reading states. `counts` are those of its fields. */
export function countStated(stated: Partial<Submission>, counts: RecordedReading['counts']): StatedValues {
  let [used, merged] = [stated.rr_intervals_ms?.length ?? 0, 0];
  for (const [field, count] of Object.entries(counts))
    if (field === 'rr_intervals_ms' || !(field in stated)) continue;
    else if (count === 1) used += 1;
    else merged += count;
  return { used, merged };
}

/** Returns the readings of the history of recorded minutes, in their order. */
export function planHistory<T extends RecordedReading>(subjectId: string, recorded: readonly T[]): HistoryReading<T>[] {
  const parts = new Map<number, number>();
  return recorded.flatMap((of) => {
    const { values, counts } = of;
    const { sdnn, rmssd, ...rest } = values;
    const minute = { atMs: floorMinute(of.atMs), device: values.source_device };
    // A minute with many beats has several readings.
    const part = parts.get(minute.atMs) ?? 0;
    parts.set(minute.atMs, part + 1);
    const create = (kind: SampleKind, revision: number, stated: Partial<Submission>): HistoryReading<T> => {
      const names = nameSample(subjectId, kind, minute.device, minute.atMs + part);
      const submission = { ...names, sample_revision: revision, ...stated, backfill: true };
      return { submission, minute, of, values: countStated(stated, counts) };
    };
    const hasRate = rest.heart_rate !== undefined || rest.rr_intervals_ms !== undefined;
    const rate = () => create('rate', Math.max(counts.heart_rate ?? 0, counts.rr_intervals_ms ?? 0), rest);
    if (sdnn === undefined && rmssd === undefined) return hasRate ? [rate()] : [];
    const context = hasRate ? { ...(minute.device && { source_device: minute.device }) } : rest;
    const variability = { ...context, ...(sdnn !== undefined && { sdnn }), ...(rmssd !== undefined && { rmssd }) };
    const revision = Math.max(counts.sdnn ?? 0, counts.rmssd ?? 0);
    return [...(hasRate ? [rate()] : []), create('variability', revision, variability)];
  });
}

/** What a sample states. A live one is not the summary of a minute. */
export type SampleKind = 'rate' | 'variability' | 'live';

/** Returns the names of a reading: the session of the person's UTC day, and the sample. */
export function nameSample(subjectId: string, kind: SampleKind, device: string | undefined, atMs: number) {
  const timestamp = new Date(atMs).toISOString();
  return {
    session_id: toHistorySession(subjectId, atMs),
    subject_id: subjectId,
    timestamp,
    sample_id: createSampleId(subjectId, kind, device, atMs),
  };
}

/** Returns the session of a person's UTC day. */
export function toHistorySession(subjectId: string, atMs: number): string {
  return `${subjectId}-import-${new Date(atMs).toISOString().slice(0, 10)}`;
}

/**
 * Returns the id of a sample. It says nothing about the device. Its key is the id of the person, so that an import, which
 * has no secret of the service, computes the id that a source has.
 */
export function createSampleId(subjectId: string, kind: SampleKind, device: string | undefined, atMs: number): string {
  return digest(subjectId, [kind, device ?? '', atMs]);
}

function digest(subjectId: string, content: unknown): string {
  const text = new TextEncoder();
  const bytes = sha256.hmac(text.encode(subjectId), text.encode(JSON.stringify(content)));
  return Array.from(bytes.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns the id of a fact that a source or file states. It says nothing about the source's own id. */
export function createFactId(subjectId: string, source: string, { id, kind, atMs }: Fact): string {
  return `${source}-${digest(subjectId, [source, id ?? [kind, atMs]])}`;
}

/** Returns the revision of a fact: of entries of one id, the longest counts, unless the source numbers them. */
export function findFactRevision({ revision, atMs, untilMs = atMs }: Fact): number {
  return revision ?? Math.round((untilMs - atMs) / 1000);
}

/** Returns a text for a minute of a device. */
export function toMinuteKey({ atMs, device }: DeviceMinute): string {
  return `${floorMinute(atMs)} ${device ?? ''}`;
}

/** A stored reading, as an export has it. */
export type StoredReading = Pick<Submission, 'timestamp' | 'source_device' | 'sample_id' | 'backfill'>;

/**
 * Returns the key of the minute of a stored reading that is not of the history: it was live, or an earlier release imported
 * it without a sample. The minute is not stored again. Undefined for a reading of the history.
 */
export function findOtherMinute(stored: StoredReading): string | undefined {
  if (stored.backfill && stored.sample_id !== undefined) return undefined;
  return toMinuteKey({ atMs: Date.parse(stored.timestamp), device: stored.source_device });
}

export function floorMinute(ms: number): number {
  return Math.floor(ms / minuteMs) * minuteMs;
}
