import { feedback as settings } from '../../generated/spec.js';
import type { Schema } from '../contract/contract.js';
import { createFault, ProblemError } from '../contract/problem.js';
import { findBand } from '../score/states.js';
import { type FeedbackCursor, createFeedbackReader, type StoredReport } from '../store/feedback.js';
import type { OperationRecord } from './operation.js';

/** Returns a page of reports, newest first. Reads one report more, to find out whether a next page exists. */
export const listFeedback: OperationRecord<'listFeedback', 'store'> = {
  personalData: 'reads',
  async handle({ store }, { query: { subject_id, cursor } }, { accountId }) {
    const after = cursor === undefined ? undefined : readCursor(cursor);
    const found = await createFeedbackReader(store.read(accountId)).page(subject_id, after, settings.page_size + 1);
    const page = found.slice(0, settings.page_size);
    const last = page.at(-1);
    const next_cursor = found.length > page.length && last ? writeCursor(last) : null;
    return { status: 200, body: { feedback: page.map(toFeedback), next_cursor } };
  },
};

/** Returns a report in the format of the contract. */
export function toFeedback(report: StoredReport): Schema<'Feedback'> {
  const { id, sessionId, subjectId, timestampMs, durationSeconds, stress, noteCode, published, recordedAtMs } = report;
  return {
    id,
    ...(sessionId !== undefined && { session_id: sessionId }),
    ...(subjectId !== undefined && { subject_id: subjectId }),
    timestamp: new Date(timestampMs).toISOString(),
    ...(durationSeconds !== undefined && { duration_seconds: durationSeconds }),
    stress,
    ...(noteCode !== undefined && { note_code: noteCode }),
    ...(published && {
      published: {
        stress_score: published.score,
        state: findBand(published.score).state,
        model_version: published.model,
        readings: published.readings,
      },
    }),
    recorded_at: new Date(recordedAtMs).toISOString(),
  };
}

function writeCursor({ timestampMs, id }: FeedbackCursor): string {
  return Buffer.from(`${timestampMs}.${id}`).toString('base64url');
}

/** Decodes a cursor. Throws a ProblemError with code cursor_invalid. */
function readCursor(cursor: string): FeedbackCursor {
  const [, timestampMs, id] = /^(\d{1,15})\.(fb_[0-9a-f]{20})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (timestampMs === undefined || id === undefined)
    throw new ProblemError('validation_failed', { faults: [createFault('cursor_invalid', { parameter: 'cursor' })] });
  return { timestampMs: Number(timestampMs), id };
}
