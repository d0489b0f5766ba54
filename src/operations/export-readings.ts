import type { Schema } from '../contract/contract.js';
import { createValidationError } from '../contract/problem.js';
import type { OperationRecord } from './operation.js';

const mediaTypes: Readonly<Record<Schema<'ExportFormat'>, string>> = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8; header=present',
};

/** Exports the readings of a session, a subject or the account. A token without a filter exports its own session. */
export const exportReadings: OperationRecord<'exportReadings'> = {
  personalData: 'exports',
  stream({ runExport }, { query: { format = 'ndjson', cursor, include }, whose, caller, onSent }) {
    // Session tokens see no facts.
    const includesFacts = include === 'facts' && caller.kind !== 'session';
    if (include === 'facts' && format !== 'ndjson')
      throw createValidationError('ndjson_only', { parameter: 'include' });
    const position = cursor === undefined ? undefined : Number(cursor);
    const request = { caller, whose, format, includesFacts, cursor: position, onSent };
    return { mediaType: mediaTypes[format], run: (begin) => runExport(request, begin) };
  },
};
