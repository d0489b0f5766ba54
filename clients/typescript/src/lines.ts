import { fitBody } from './fit-body.js';
import type { Submission } from './schemas.js';

/** Returns the options of a request with one line per submission (NDJSON). */
export function toLines(submissions: readonly Submission[]) {
  return {
    body: submissions.map((it) => `${JSON.stringify(fitBody(it))}\n`).join(''),
    bodySerializer: String,
    headers: { 'Content-Type': 'application/x-ndjson' },
  };
}
