import type { Schema } from '../src/contract/contract.js';
import type { Answer, TestService } from './service.js';

/** A line: an object that is sent as JSON, or the text of the line. */
export type BatchLine = object | string;

/** Sends the lines as one batch. */
export function postBatch(
  { request }: Pick<TestService, 'request'>,
  lines: readonly BatchLine[],
): Promise<Answer<Schema<'BatchResult'>>> {
  return request('/v1/ingest/batch', {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-ndjson' },
    body: ndjson(lines),
  });
}

/** Sends the lines as one batch. Requires a 200 and returns the results of the lines. */
export async function batchResults(
  service: Pick<TestService, 'request'>,
  lines: readonly BatchLine[],
): Promise<Array<Schema<'LineResult'>>> {
  const { status, body } = await postBatch(service, lines);
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body.results;
}

export function ndjson(lines: readonly BatchLine[]): string {
  return lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
}

/** Returns the values of lines, e.g. those of an export. */
export function fromNdjson<Row = ReturnType<JSON['parse']>>(text: unknown): Row[] {
  const lines = String(text).split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}

/** Returns the exported rows of the account, or of a session or person, e.g. with the query `subject_id=anna`. */
export async function exportRows(
  { request }: Pick<TestService, 'request'>,
  query = '',
): Promise<Array<Schema<'ExportedReading'>>> {
  const { status, body } = await request(`/v1/export?${query}`);
  return status === 404 ? [] : fromNdjson(body);
}
