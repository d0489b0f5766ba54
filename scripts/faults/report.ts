import type { Finding } from '../attacks/finding.js';
import type { Counts } from '../attacks/neighbor-counts.js';
import type { Outcome } from '../attacks/scenario.js';
import { titleOf } from '../bench/databases.js';
import { type Column, type TableRow, textTable } from '../terminal/table.js';

const unavailable = 'status 503';
const counted = [
  'acknowledged',
  'lost',
  '503',
  'no response',
  'other 5xx and 4xx',
  'state changes',
  'webhooks missing',
];
const columns: readonly Column[] = [
  ...['fault', 'database', 'verdict'].map((title) => ({ title })),
  ...counted.map((title) => ({ title, align: 'right' }) as const),
];

/** During a fault a request may fail with 503 or without a response; nothing that was acknowledged may be lost. */
export function findingsOfFault({ acknowledged, lost, changes, missing, failures }: Counts): Finding[] {
  return [
    { what: 'readings acknowledged', found: acknowledged },
    { what: 'acknowledged readings lost', found: lost, allowed: 0 },
    { what: 'state changes', found: changes },
    { what: 'webhooks missing', found: missing.length, allowed: 0 },
    ...Object.entries(failures).map(([what, found]) => ({
      ...{ what, found },
      ...(isExcused(what) ? {} : { allowed: 0 }),
    })),
  ];
}

export function reportOf(outcomes: readonly Outcome[]): string {
  const sections = [...new Set(outcomes.map(({ database }) => database))].map((database) =>
    outcomes.filter((outcome) => outcome.database === database).map(rowOf),
  );
  return textTable(columns, sections);
}

function rowOf({ title, database, holds, with: { counts } }: Outcome): TableRow {
  const { acknowledged, lost, changes, missing, failures } = counts;
  const sum = (isIt: (why: string) => boolean) =>
    Object.entries(failures).reduce((total, [why, count]) => total + (isIt(why) ? count : 0), 0);
  const figures = [
    ...[acknowledged, lost, sum((why) => why === unavailable)],
    ...[sum((why) => isExcused(why) && why !== unavailable), sum((why) => !isExcused(why)), changes, missing.length],
  ];
  return [title, titleOf(database), holds ? 'holds' : 'BROKEN', ...figures.map(String)];
}

/** A connection that breaks, or a response that does not come, leaves the outcome open: the client sends again. */
function isExcused(why: string): boolean {
  return why === unavailable || !why.startsWith('status ');
}
