import { ProblemError, type Submission } from '../client/src/index.js';
import { findOtherMinute, planHistory, toHistorySession, toMinuteKey } from '../recordings/history.js';
import type { RecordedReading } from '../recordings/minutes.js';
import type { RecordedWindow } from './recordings/recorded-window.js';
import { createOutcome, note, type Outcome } from './task-summary.js';
import type { SendBatch } from './send.js';
import { connect, explain, type ServiceOptions } from './service.js';

/** Lines per batch. With more lines, the progress would seem to stop between responses. */
const linesPerBatch = 500;

/** A reading of the history of a person. */
export interface HistoryLine {
  readonly window: RecordedWindow;
  readonly submission: Submission;
}

export interface ImportPlan {
  readonly lines: readonly HistoryLine[];
  /** Number of readings that are left out, because their minutes have other readings of the same device. */
  readonly unchanged: number;
}

/** Returns the readings of a recording of a device. Asks the service which minutes of a person who is not new it has. */
export async function planImport(
  windows: readonly RecordedWindow[],
  subjectId: string,
  isNew: boolean,
  service: ServiceOptions,
): Promise<ImportPlan> {
  const all = planHistory(subjectId, windows.filter(isRecorded));
  const days = new Set(all.map(({ minute }) => toHistorySession(subjectId, minute.atMs)));
  const other = isNew ? new Set<string>() : await findOtherMinutes([...days], service);
  const lines = all.filter(({ minute }) => !other.has(toMinuteKey(minute)));
  return {
    lines: lines.map(({ of, submission }) => ({ window: of, submission })),
    unchanged: all.length - lines.length,
  };
}

function isRecorded(window: RecordedWindow): window is RecordedWindow & RecordedReading {
  return window.atMs !== undefined && window.counts !== undefined;
}

/** Returns the keys of the minutes of sessions that have readings which are not of the history. */
async function findOtherMinutes(sessionIds: readonly string[], service: ServiceOptions): Promise<ReadonlySet<string>> {
  const client = connect(service);
  const keys = new Set<string>();
  for (const sessionId of sessionIds) {
    try {
      for await (const { reading } of client.exportReadings({ sessionId })) {
        const key = findOtherMinute(reading);
        if (key !== undefined) keys.add(key);
      }
    } catch (error) {
      // The session is new, or the key may not read.
      if (!(error instanceof ProblemError && [403, 404].includes(error.status))) throw explain(error, service.url);
    }
  }
  return keys;
}

/**
 * Sends the readings with the times of the recording, oldest first. The first request contains only the oldest one, so
 * that a recording before the retention of the service is rejected before anything is stored.
 */
export async function sendHistory(
  { lines, unchanged }: ImportPlan,
  send: SendBatch,
  onSent: () => void,
): Promise<Outcome> {
  const outcome = createOutcome({ stored: 0, replaced: 0, unchanged });
  for (let from = 0, count = 1; from < lines.length; from += count, count = linesPerBatch) {
    const part = lines.slice(from, from + count);
    for (const [index, answer] of (await send(part.map((it) => it.submission))).entries()) {
      const line = part[index];
      if (from === 0 && 'code' in answer && answer.code === 'timestamp_too_old') throw beforeRetention(line);
      if (line) note(outcome, line.window, answer);
      onSent();
    }
  }
  return outcome;
}

const hourMs = 3_600_000;
/** Maximum of RETENTION_READINGS_HOURS. */
const retentionHoursMax = 87_600;

/** Returns the error for a recording whose oldest reading is older than the retention of the service. */
function beforeRetention(oldest: HistoryLine | undefined): Error {
  const atMs = oldest?.window.atMs ?? 0;
  // Whole days, with at least an hour for the import, because the service deletes readings of this age.
  const hours = Math.ceil(((Date.now() - atMs) / hourMs + 1) / 24) * 24;
  const remedy =
    hours > retentionHoursMax
      ? 'no retention is that long, so replay it without --backfill'
      : `restart the service with RETENTION_READINGS_HOURS=${hours}, which keeps its data, or send fewer hours with --hours`;
  return new Error(
    `the recording begins at ${new Date(atMs).toISOString()}, before the retention of the service: ${remedy}`,
  );
}
