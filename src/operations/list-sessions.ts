import { sessionList as settings } from '../../generated/spec.js';
import type { Schema } from '../contract.js';
import { readModel } from '../domain/state-reading.js';
import { bandOf } from '../domain/states.js';
import { fault, ProblemError } from '../problem.js';
import type { ListedSession, SessionCursor } from '../store/session-list.js';
import type { OperationRecord } from './operation.js';

/** Returns a page of sessions. Reads one session more than a page, to find out whether a next page exists. */
export const listSessions: OperationRecord<'listSessions'> = {
  personalData: 'reads',
  tool: {
    name: 'list_sessions',
    title: 'List sessions',
    description: 'List sessions with their latest state, newest first. Continue with next_cursor until it is null.',
  },
  async handle({ store }, { query: { subject_id: subjectId, cursor } }, { accountId }) {
    const after = cursor === undefined ? undefined : readCursor(cursor);
    const found = await store.read(accountId).sessions({ subjectId, after }, settings.page_size + 1);
    const page = found.slice(0, settings.page_size);
    const last = page.at(-1);
    const nextCursor = found.length > page.length && last ? writeCursor(last) : null;
    return { status: 200, body: { sessions: page.map(toSummary), next_cursor: nextCursor } };
  },
};

function toSummary({ sessionId, startedAtMs, session }: ListedSession): Schema<'SessionSummary'> {
  const { latest, subjectId } = session;
  return {
    session_id: sessionId,
    ...(subjectId !== undefined && { subject_id: subjectId }),
    started_at: new Date(startedAtMs).toISOString(),
    timestamp: new Date(latest.timestampMs).toISOString(),
    state: bandOf(latest.score).state,
    stress_score: latest.score,
    confidence: latest.confidence,
    model_version: readModel(latest),
  };
}

function writeCursor({ startedAtMs, incarnation }: SessionCursor): string {
  return Buffer.from(`${startedAtMs}.${incarnation}`).toString('base64url');
}

/** Decodes a cursor. Throws a ProblemError with code cursor_invalid. */
function readCursor(cursor: string): SessionCursor {
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, startedAtMs, incarnation] = /^(\d{1,15})\.([0-9a-f]{12})$/.exec(text) ?? [];
  if (startedAtMs === undefined || incarnation === undefined)
    throw new ProblemError('validation_failed', { faults: [fault('cursor_invalid', { parameter: 'cursor' })] });
  return { startedAtMs: Number(startedAtMs), incarnation };
}
