import { type FactSubmission, ProblemError, type StateClient, type Submission } from '../client/src/index.js';
import {
  createFactId,
  findFactRevision,
  findOtherMinute,
  planHistory,
  toHistorySession,
  toMinuteKey,
} from '../recordings/history.js';
import type { Fact } from '../recordings/measurement.js';
import type { RecordedReading } from '../recordings/minutes.js';
import type { Answer, SendBatch, SendFact } from './send-batch.js';

/** Lines per batch. With more lines, the progress would seem to stop between responses. */
const linesPerBatch = 500;

/** A reading of the history of a person. */
export interface HistoryLine<T> {
  /** The recorded minute. */
  readonly of: T;
  readonly submission: Submission;
}

/** A fact of the history of a person. */
export interface HistoryFact {
  readonly id: string;
  readonly submission: FactSubmission;
}

export interface ImportPlan<T = RecordedReading> {
  readonly facts: readonly HistoryFact[];
  readonly lines: readonly HistoryLine<T>[];
  /** Number of readings that are left out, because their minutes have other readings of the same device. */
  readonly unchanged: number;
}

type Client = Pick<StateClient, 'exportReadings'>;

/**
 * Returns the readings of the minutes of a recording of a device, and its facts. Asks the service which minutes of the person it
 * has. `client` is undefined for a new person. Uses no module of Node.
 */
export async function planImport<T extends RecordedReading>(
  recorded: readonly T[],
  facts: readonly Fact[],
  subjectId: string,
  client: Client | undefined,
): Promise<ImportPlan<T>> {
  const all = planHistory(subjectId, recorded);
  const days = new Set(all.map(({ minute }) => toHistorySession(subjectId, minute.atMs)));
  const other = client ? await findOtherMinutes([...days], client) : new Set<string>();
  const lines = all.filter(({ minute }) => !other.has(toMinuteKey(minute)));
  return {
    facts: facts.map((fact) => toHistoryFact(subjectId, fact)),
    lines: lines.map(({ of, submission }) => ({ of, submission })),
    unchanged: all.length - lines.length,
  };
}

/** Another import of the same entry states the same fact. */
function toHistoryFact(subject_id: string, fact: Fact): HistoryFact {
  const { kind, level, atMs, untilMs } = fact;
  const submission = {
    ...{ subject_id, kind, ...(level && { level }), start: new Date(atMs).toISOString() },
    ...(untilMs !== undefined && { end: new Date(untilMs).toISOString() }),
    revision: findFactRevision(fact),
  };
  return { id: createFactId(subject_id, 'import', fact), submission };
}

/** Returns the keys of the minutes of sessions that have readings which are not of the history. */
async function findOtherMinutes(sessionIds: readonly string[], client: Client): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  for (const sessionId of sessionIds) {
    try {
      for await (const { reading } of client.exportReadings({ sessionId })) {
        const key = findOtherMinute(reading);
        if (key !== undefined) keys.add(key);
      }
    } catch (error) {
      // The session is new, or the key may not read.
      if (!(error instanceof ProblemError && [403, 404].includes(error.status))) throw error;
    }
  }
  return keys;
}

/**
 * Sends the readings with the times of the recording, oldest first. The first request contains only the oldest one, so
 * that a recording before the retention of the service is rejected before anything is stored. The facts precede the other
 * readings, so that most of them are scored once.
 */
export async function sendHistory<T extends RecordedReading>(
  { facts, lines }: ImportPlan<T>,
  { sendBatch, sendFact }: { readonly sendBatch: SendBatch; readonly sendFact: SendFact },
  onAnswer: (of: T, answer: Answer) => void,
  onFact: (refusal: string | undefined) => void,
): Promise<void> {
  const sendFacts = async () => {
    for (const { id, submission } of facts) onFact(await sendFact(id, submission));
  };
  if (lines.length === 0) await sendFacts();
  for (let from = 0, count = 1; from < lines.length; from += count, count = linesPerBatch) {
    const part = lines.slice(from, from + count);
    for (const [index, answer] of (await sendBatch(part.map((it) => it.submission))).entries()) {
      const line = part[index];
      if (from === 0 && 'error' in answer && answer.error.code === 'timestamp_too_old')
        throw new TooOldError(line?.of.atMs ?? 0, answer.error.max_age_seconds);
      if (line) onAnswer(line.of, answer);
    }
    if (from === 0) await sendFacts();
  }
}

const hourMs = 3_600_000;
/** Time for the import, in ms. Meanwhile, the service deletes what becomes too old. */
const marginMs = 600_000;
/** Maximum of RETENTION_READINGS_HOURS. */
const retentionHoursMax = 87_600;

/** The oldest reading of a recording is older than the service keeps readings. Nothing was stored. */
export class TooOldError extends Error {
  /** How long the service keeps readings, in ms. 0 if it does not state it. */
  readonly keptMs: number;
  /** How long it would have to keep them, in hours. */
  readonly neededHours: number;

  constructor(atMs: number, keptSeconds = 0) {
    // Whole days, with at least an hour for the import, because the service deletes readings of this age.
    const hours = Math.ceil(((Date.now() - atMs) / hourMs + 1) / 24) * 24;
    const remedy =
      hours > retentionHoursMax
        ? 'no retention is that long, so replay it without --backfill'
        : `run \`state-service accounts set ACCOUNT keep-readings ${hours}\`, or send fewer hours with --hours`;
    super(`the recording begins at ${new Date(atMs).toISOString()}, before the retention of the service: ${remedy}`);
    this.keptMs = keptSeconds * 1000;
    this.neededHours = hours;
  }
}

/** Returns the part of a plan that a service stores which keeps readings for `keptMs`. */
export function omitTooOld<T extends RecordedReading>(
  plan: ImportPlan<T>,
  keptMs: number,
  nowMs: number,
): ImportPlan<T> {
  const fromMs = nowMs - keptMs + marginMs;
  const lines = plan.lines.filter(({ of }) => of.atMs >= fromMs);
  return {
    ...plan,
    lines,
    facts: plan.facts.filter(({ submission: { start, end = start } }) => Date.parse(end) >= fromMs),
  };
}
