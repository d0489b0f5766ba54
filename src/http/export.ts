import type { RequestHandler, Response } from 'express';
import type { Schema } from '../contract.js';
import { fault, ProblemError } from '../problem.js';

/** Writes an export, given the validated parameters of the request. */
export interface RunExport {
  (
    request: {
      readonly caller: NonNullable<Express.Locals['caller']>;
      readonly sessionId: string | undefined;
      readonly subjectId: string | undefined;
      readonly format: Schema<'ExportFormat'>;
      readonly cursor: number | undefined;
      readonly expiresAtMs: number | undefined;
    },
    begin: () => Response,
  ): Promise<void>;
}

const mediaTypes: Readonly<Record<Schema<'ExportFormat'>, string>> = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8; header=present',
};

/** Serves exports. Passes all other operations to the next middleware. */
export function serveExport(run: RunExport): RequestHandler {
  return async (request, response, next) => {
    const { route, caller, token, isHead } = response.locals;
    if (route?.operationId !== 'exportReadings' || !caller) return next();
    const query = request.query as Readonly<Record<string, string | undefined>>;
    const { session_id: sessionId = token?.sessionId, subject_id: subjectId, cursor } = query;
    const format = (query['format'] ?? 'ndjson') as Schema<'ExportFormat'>;
    if (sessionId !== undefined && subjectId !== undefined) throw bothGiven();
    if (isHead) return void begin(response, format).end();
    const wanted = { caller, sessionId, subjectId, format, expiresAtMs: token?.expiresAtMs };
    await run({ ...wanted, cursor: cursor === undefined ? undefined : Number(cursor) }, () => begin(response, format));
  };
}

function bothGiven(): ProblemError {
  const faults = [fault('exclusive', { parameter: 'subject_id' }, 'session_id and subject_id')];
  return new ProblemError('validation_failed', { faults });
}

function begin(response: Response, format: Schema<'ExportFormat'>): Response {
  response.setHeader('Content-Type', mediaTypes[format]);
  response.setHeader('X-Accel-Buffering', 'no');
  return response;
}
