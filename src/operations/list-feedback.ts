import { feedback as settings } from '../../generated/spec.js';
import type { Schema } from '../contract/contract.js';
import { writeNames } from '../contract/whose.js';
import { findBand } from '../../packages/score/states.js';
import { type FeedbackCursor, listReports, type StoredReport } from '../store/feedback.js';
import type { OperationRecord } from './operation.js';
import { createCursors, digits, findPage } from './page.js';

const cursors = createCursors<FeedbackCursor>({ timestampMs: digits, id: 'fb_[0-9a-f]{20}' });

/** Returns a page of reports, newest first. */
export const listFeedback: OperationRecord<'listFeedback', 'store' | 'pause'> = {
  personalData: 'reads',
  async handle({ store, pause }, { query: { cursor }, whose }, { accountId }) {
    const scope = store.read(accountId, pause);
    const find = (after: FeedbackCursor | undefined, max: number) => listReports(scope, whose, after, max);
    const { page, next_cursor } = await findPage(cursors, settings.page_size, cursor, find);
    return { status: 200, body: { feedback: page.map(toFeedback), next_cursor } };
  },
};

export function toFeedback(report: StoredReport): Schema<'Feedback'> {
  const { id, timestampMs, durationSeconds, stress, noteCode, published, recordedAtMs } = report;
  return {
    id,
    ...writeNames(report),
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
