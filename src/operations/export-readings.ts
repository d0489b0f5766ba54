import type { Schema } from '../contract/contract.js';
import type { OperationRecord } from './operation.js';

const mediaTypes: Readonly<Record<Schema<'ExportFormat'>, string>> = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8; header=present',
};

/** Exports the readings of a session, a subject or the account. A token without a filter exports its own session. */
export const exportReadings: OperationRecord<'exportReadings'> = {
  personalData: 'exports',
  countsPerSession: true,
  nameSession: ({ session_id, subject_id }, ownSession) =>
    subject_id === undefined ? (session_id ?? ownSession) : undefined,
  stream(
    { runExport },
    { query: { session_id, subject_id: subjectId, format = 'ndjson', cursor }, caller, token, onSent },
  ) {
    const sessionId = session_id ?? token?.sessionId;
    const position = cursor === undefined ? undefined : Number(cursor);
    const request = { caller, sessionId, subjectId, format, cursor: position, expiresAtMs: token?.expiresAtMs, onSent };
    return { mediaType: mediaTypes[format], run: (begin) => runExport(request, begin) };
  },
};
