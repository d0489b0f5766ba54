import type { Schema } from '../contract/contract.js';
import { createFault, ProblemError } from '../contract/problem.js';
import type { ComputedState } from '../../packages/score/rows/session.js';
import { floorHour } from '../../packages/score/summary.js';
import type { StoredReading } from '../store/readings.js';
import {
  createSampleTable,
  type KnownSample,
  type SampleEntry,
  type StoredSample,
  toHourKey,
} from '../store/samples.js';
import type { Statement } from '../store/rows.js';
import type { ReadScope } from '../store/scope.js';
import type { StoredSession } from '../store/sessions.js';
import { positionStep } from '../store/stream-positions.js';
import { scoreAgain } from './covering.js';
import type { PreparedReading } from './prepared-reading.js';
import type {
  AcceptedReading,
  GroupProgress,
  KnownSamples,
  ProcessedReading,
  ReplacingReading,
  SampledReading,
  SampleInGroup,
} from './progress.js';

/*
 * A reading with `sample_id`. Its first body is a reading like any other one. A later body with a revision that is not
 * lower replaces the content of the stored reading: what is computed from rows changes, and nothing else. It is scored
 * from its own signals, and neither the session nor the person learns from it.
 */

/** What happened to a reading with a sample that was not rejected. */
export type SampleOutcome = NonNullable<Schema<'LineResult'>['sample']>;

/** Returns the stored samples of the readings. One statement, and another one if a reading may replace one of a person. */
export async function findSamples(
  scope: ReadScope,
  readings: readonly SampledReading[],
  sessions: ReadonlyMap<string, StoredSession>,
): Promise<KnownSamples> {
  const table = createSampleTable(scope);
  const started = readings.filter(({ sessionId }) => sessions.get(sessionId)?.session);
  const incarnations = [...new Set(started.map(({ sessionId }) => sessions.get(sessionId)?.incarnation ?? ''))];
  const found =
    started.length > 0 ? await table.find(incarnations, [...new Set(started.map((it) => it.sample.key))]) : [];
  const named = new Map(found.map((it) => [`${it.incarnation} ${it.key}`, it]));
  const known = new Map<string, SampleInGroup>();
  const hours = [];
  for (const reading of started) {
    const { incarnation = '', session } = sessions.get(reading.sessionId) ?? {};
    const sample = named.get(`${incarnation} ${reading.sample.key}`);
    if (sample) known.set(toSampleKey(reading), { ...sample, reading: sample });
    if (sample && session?.subjectId !== undefined && !isKept(sample, reading))
      hours.push([session.subjectId, floorHour(sample.timestampMs)] as const);
  }
  return { known, storedHours: hours.length > 0 ? await table.findHours(hours) : new Set() };
}

/** Returns the sample of a reading. Undefined if the reading is the first one of its sample. */
export function findSample({ samples }: GroupProgress, reading: SampledReading): SampleInGroup | undefined {
  return samples?.known.get(toSampleKey(reading));
}

/**
 * Returns the outcome of a reading whose sample is known, if it does not replace the stored reading. `subjectId` is the
 * person of its session.
 */
export function keepSample(
  { samples }: Pick<GroupProgress, 'samples'>,
  sample: SampleInGroup,
  submitted: SampledReading,
  subjectId: string | undefined,
): ProcessedReading | undefined {
  if (sample.timestampMs !== submitted.timestampMs) return refuse(mismatch());
  if (isKept(sample, submitted)) return { kind: 'kept', of: sample.reading };
  if (submitted.grant && !submitted.sample.isSourced)
    return refuse(new ProblemError('invalid_token', { cause: 'a token replaces no reading' }));
  if (subjectId !== undefined && samples?.storedHours.has(toHourKey(subjectId, sample.timestampMs)))
    return refuse(new ProblemError('sample_too_old'));
  return undefined;
}

/**
 * Returns true if a body changes nothing: it was stored before, has a lower revision, or may not replace the reading. The first
 * one of a service key replaces those of sources, whatever they are, so that the order of arrival decides nothing.
 */
function isKept(
  { digests, revision, isSourced }: KnownSample,
  { grant, sample, samples, digest, earlierDigests = [] }: SampledReading,
) {
  if (isSourced && !sample.isSourced && !grant) return false;
  // Of a body with samples, only these tell whether it adds anything (`mergeMinute`).
  const isResend = !samples && [digest, ...earlierDigests].some((it) => digests.has(it));
  return isResend || sample.revision < revision || (sample.isSourced === true && !isSourced);
}

/** Remembers the newest body of a sample for the later readings of the group. */
export function rememberSample(
  { samples }: Pick<GroupProgress, 'samples'>,
  { sample, timestampMs, digest, signals, samples: own, ...reading }: SampledReading,
  incarnation: string,
  of: StoredSample | AcceptedReading,
): void {
  const key = toSampleKey({ ...reading, sample });
  const before = samples?.known.get(key);
  const digests = new Set([...(before?.digests ?? []), digest]);
  const isSourced = sample.isSourced === true && (before?.isSourced ?? true);
  const { revision } = sample;
  const content = { signals, samples: own, revision };
  samples?.known.set(key, { incarnation, key: sample.key, timestampMs, ...content, digests, isSourced, reading: of });
}

/** The rows that a group writes for its samples. */
export interface SampleRows {
  /** The readings of the group that are stored for the first time, with the content of their newest body. */
  readonly stored: readonly StoredReading[];
  /** Returns the state of a reading with the content of its newest body. */
  readonly stateOf: (of: StoredSample | AcceptedReading) => ComputedState;
  /** Number of bodies, each of which takes a position. */
  readonly bodies: number;
  /** Returns the statements that store the bodies. `first` is the position of the first of the readings in `stored`. */
  readonly toSave: (scope: ReadScope, first: number) => Statement[];
}

/**
 * Applies the replacements of a group in their order. `accepted` are its readings that are stored for the first time,
 * `stored` what is stored of them, in the same order.
 */
export function applySamples(
  advances: readonly ProcessedReading[],
  accepted: readonly AcceptedReading[],
  stored: readonly StoredReading[],
): SampleRows {
  const contents = new Map<StoredSample | AcceptedReading, StoredReading>(
    accepted.map((it, index) => [it, stored[index] as StoredReading]),
  );
  for (const advance of advances)
    if (advance.kind === 'replaced') contents.set(advance.of, replaceContent(advance, contents.get(advance.of)));
  const bodies = advances.flatMap((it) =>
    (it.kind === 'taken' || it.kind === 'replaced') && it.submitted.sample
      ? [{ ...it, of: 'of' in it ? it.of : it }]
      : [],
  );
  return {
    stored: accepted.map((it) => contents.get(it) as StoredReading),
    stateOf: (of) => (contents.get(of) ?? (of as StoredSample)).computed,
    bodies: bodies.length,
    toSave(scope, first) {
      const positions = new Map<unknown, number>(accepted.map((it, index) => [it, toSigned(it, first, index)]));
      const entries = bodies.map(({ submitted, incarnation, of }): SampleEntry => {
        const { sample, timestampMs, digest } = submitted as SampledReading;
        const isSourced = sample.isSourced === true;
        const key = { incarnation, key: sample.key, timestampMs, digest, isSourced };
        const position = positions.get(of);
        if (position !== undefined) return { ...key, position };
        return { ...key, position: (of as StoredSample).position, replacement: contents.get(of) };
      });
      return createSampleTable(scope).toSave(entries, first + accepted.length * positionStep);
    },
  };
}

function toSigned({ submitted }: AcceptedReading, first: number, index: number): number {
  return (submitted.isBackfill ? -1 : 1) * (first + index * positionStep);
}

/** Returns the content of a reading after a replacement. `content` is that of an earlier reading of the group. */
function replaceContent(
  { submitted, incarnation, of, scored, dropped }: ReplacingReading,
  content: StoredReading | undefined,
): StoredReading {
  const { sessionId, timestampMs, digest } = submitted;
  const before = content ?? (of as StoredSample);
  const { point, computed } = scoreAgain(before.computed, scored);
  const samples = keepSamples(submitted);
  const own = { point, computed: { ...computed, ...(dropped && { dropped }), ...(samples && { samples }) } };
  const isSilent = content?.isSilent ?? (of as StoredSample).position < 0;
  return { sessionId, incarnation, timestampMs, digest, ...own, stateChange: before.stateChange, isSilent };
}

/** Returns the samples of a minute, of the fields that the reading has. */
export function keepSamples({ samples, signals }: PreparedReading): ComputedState['samples'] {
  if (!samples) return undefined;
  return Object.fromEntries(Object.entries(samples).filter(([field]) => field in signals));
}

/** Returns what happened to a reading with a sample that was not rejected. */
export function toSampleOutcome({ kind }: ProcessedReading): SampleOutcome {
  if (kind === 'replaced') return 'replaced';
  return kind === 'taken' ? 'stored' : 'unchanged';
}

/** Returns the key of a sample. It is unambiguous, because ids contain no spaces. */
function toSampleKey({ sessionId, sample }: Pick<SampledReading, 'sessionId' | 'sample'>): string {
  return `${sessionId} ${sample.key}`;
}

function refuse(refusal: ProblemError): ProcessedReading {
  return { kind: 'refused', refusal };
}

function mismatch(): ProblemError {
  return new ProblemError('validation_failed', { faults: [createFault('sample_mismatch', { pointer: '/sample_id' })] });
}
