import { quantile } from '../../../packages/tools/terminal/quantile.js';
import { type Column, type TableRow, textTable } from '../../../packages/tools/terminal/table.js';
import { describeAllowed, isAllowed } from '../../../testkit/verdict.js';
import { titleOf } from '../../bench/support/databases.js';
import { figureColumns } from '../../figures.js';
import type { ScenarioOutcome } from './scenario.js';

const latencies = ['ingest p50', 'ingest p99', 'webhook p50', 'webhook p99'];
const columns: readonly Column[] = [
  ...['item', 'attack or fault', 'database', 'verdict'].map((title) => ({ title })),
  ...figureColumns(...latencies),
];

/** Returns the table of all outcomes, followed by the failed findings and missed targets. */
export function reportOf(outcomes: readonly ScenarioOutcome[]): string {
  const lines = outcomes.flatMap(linesOf);
  const legend = "Latencies are the neighbor's, in milliseconds, without → with the attack.";
  return [tabulate(columns, outcomes, toRow), '', legend, ...(lines.length > 0 ? ['', ...lines] : [])].join('\n');
}

/** Returns a table with a row per outcome and a section per database. */
export function tabulate(
  columns: readonly Column[],
  outcomes: readonly ScenarioOutcome[],
  toCells: (outcome: ScenarioOutcome) => TableRow,
): string {
  const databases = [...new Set(outcomes.map(({ database }) => database))];
  const sections = databases.map((it) => outcomes.filter(({ database }) => database === it).map(toCells));
  return textTable(columns, sections);
}

function toRow({ item, title, database, holds, without, with: during }: ScenarioOutcome): TableRow {
  const figures = [...figuresOf(without.ingestMs, during.ingestMs), ...figuresOf(without.webhookMs, during.webhookMs)];
  return [String(item), title, titleOf(database), holds ? 'holds' : 'BROKEN', ...figures];
}

function figuresOf(without: readonly number[], during: readonly number[]): string[] {
  return [0.5, 0.99].map(
    (share) => `${milliseconds(quantile(without, share))} → ${milliseconds(quantile(during, share))}`,
  );
}

function milliseconds(value: number): string {
  return Number.isNaN(value) ? 'none' : value.toFixed(value < 10 ? 1 : 0);
}

/** Returns one line per failed finding or missed target. */
export function linesOf({ title, database, findings }: ScenarioOutcome): string[] {
  const name = `${title} (${titleOf(database)})`;
  return findings.flatMap((finding) => {
    const { what, found, target } = finding;
    if (!isAllowed(finding)) return [`BROKEN: ${name}: ${what}: ${found}, required ${describeAllowed(finding)}`];
    if (target !== undefined && !(Number(found) <= target))
      return [`target missed: ${name}: ${what}: ${found}, target at most ${target}`];
    return [];
  });
}
