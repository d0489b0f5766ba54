import type { Schema } from '../contract/contract.js';
import type { OperationRecord } from './operation.js';

const mediaTypes: Readonly<Record<Schema<'ExportFormat'>, string>> = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8; header=present',
};

/** Exports the readings of a session, a subject or the account. A token without a filter exports its own session. */
export const exportReadings: OperationRecord<'exportReadings'> = {
  personalData: 'exports',
  stream({ runExport }, { query: { format = 'ndjson', cursor }, whose, caller, onSent }) {
    const position = cursor === undefined ? undefined : Number(cursor);
    const request = { caller, whose, format, cursor: position, onSent };
    return { mediaType: mediaTypes[format], run: (begin) => runExport(request, begin) };
  },
};
