import { dataExport as settings } from '../../generated/spec.js';
import type { Schema } from '../contract/contract.js';
import type { Whose } from '../contract/whose.js';
import { type StoredResult, toExportedReading } from '../contract/exported-reading.js';
import type { Grant } from '../contract/grant.js';
import { createTimestampFormatter } from '../contract/history.js';
import { inSlices, type Pause, type SlicedScope } from '../store/scope.js';
import type { DigestId } from '../store/erased-ids.js';
import { createFactTable, type FactKey, toFact } from '../store/facts.js';
import { omitLeftovers } from '../store/leftovers.js';
import type { Position as RowPosition } from '../view/search-person.js';
import { view } from '../view/view.js';
import { csvHeader, toCsvRow } from './csv.js';

/** A place in the readings, or in the facts that follow them. */
export type Position = RowPosition & { readonly factsAfter?: Partial<FactKey> };

export type ExportFormat = Schema<'ExportFormat'>;

/** The readings of an export, and who reads them. Plain data, because it is sent to another thread. */
export interface ExportScope {
  readonly caller: Grant;
  readonly whose: Whose;
  readonly format: ExportFormat;
  /** True if the facts of the person or account follow. */
  readonly includesFacts?: boolean;
}

export interface ExportPage {
  /** Complete rows. Empty if the searched range contains no reading. */
  readonly text: string;
  /** Undefined after the last page. */
  readonly next: Position | undefined;
}

/** Returns the start of an export, after the row with the position `cursor` if given. Throws if there is no data. */
export function beginExport(
  scope: SlicedScope,
  { caller, whose }: ExportScope,
  cursor: number | undefined,
): Promise<Position> {
  return view(scope, caller).beginRows(whose, cursor ?? 0);
}

/** Reads the next rows of an export, at most `page_rows`. */
export async function readExportPage(
  scope: SlicedScope,
  { caller, whose, format, includesFacts }: ExportScope,
  from: Position,
  digestId: DigestId,
): Promise<ExportPage> {
  if (from.factsAfter) return readFacts(scope, whose, { ...from, factsAfter: from.factsAfter }, digestId);
  const { found, next } = await view(scope, caller).rows(whose, from, settings.page_rows);
  const last = includesFacts && whose.kind !== 'session' ? { ...from, factsAfter: {} } : undefined;
  return { text: await toText(found, format, scope.pause), next: next ?? last };
}

/** Reads the next facts of the person or account, a line each. */
async function readFacts(
  scope: SlicedScope,
  whose: Whose,
  from: RowPosition & { readonly factsAfter: Partial<FactKey> },
  digestId: DigestId,
): Promise<ExportPage> {
  const { subjectId = '', factId = '' } = from.factsAfter;
  const after = subjectId === '' ? undefined : { subjectId, factId };
  const own = whose.kind === 'person' ? whose.subjectId : undefined;
  const found = await createFactTable(scope).list(own, after, settings.page_rows);
  await scope.pause(found.length);
  const last = found.length === settings.page_rows ? found.at(-1) : undefined;
  const next = last && { ...from, factsAfter: { subjectId: last.subjectId, factId: last.factId } };
  const dated = found.map((it) => ({ ...it, createdAtMs: it.recordedAtMs }));
  const kept = await omitLeftovers(scope, dated, digestId);
  return { text: kept.map((it) => `${JSON.stringify({ fact: toFact(it.subjectId, it) })}\n`).join(''), next };
}

async function toText(found: readonly StoredResult[], format: ExportFormat, pause: Pause): Promise<string> {
  const writeInstant = createTimestampFormatter();
  const toRow = format === 'csv' ? toCsvRow : toLine;
  let text = '';
  await pause(found.length);
  for await (const part of inSlices(found, pause))
    for (const stored of part) text += toRow(toExportedReading(stored, writeInstant));
  return text;
}

function toLine(row: Schema<'ExportedReading'>): string {
  return `${JSON.stringify(row)}\n`;
}

/** Returns the text before the first row. A continued export has none, so that it can be appended to the first part. */
export function formatStart(format: ExportFormat, isContinued: boolean): string {
  return format === 'csv' && !isContinued ? csvHeader : '';
}
