import type { ScenarioOutcome } from '../attacks/scenario.js';
import { titleOf } from '../../bench/support/databases.js';
import { isExcused, unavailable } from './findings.js';
import { type Column, type TableRow, textTable } from '../../../src/terminal/table.js';

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

export function reportOf(outcomes: readonly ScenarioOutcome[]): string {
  const sections = [...new Set(outcomes.map(({ database }) => database))].map((database) =>
    outcomes.filter((outcome) => outcome.database === database).map(rowOf),
  );
  return textTable(columns, sections);
}

function rowOf({ title, database, holds, with: { counts } }: ScenarioOutcome): TableRow {
  const { acknowledged, lost, changes, missing, failures } = counts;
  const sum = (isIt: (why: string) => boolean) =>
    Object.entries(failures).reduce((total, [why, count]) => total + (isIt(why) ? count : 0), 0);
  const figures = [
    ...[acknowledged, lost, sum((why) => why === unavailable)],
    ...[sum((why) => isExcused(why) && why !== unavailable), sum((why) => !isExcused(why)), changes, missing.length],
  ];
  return [title, titleOf(database), holds ? 'holds' : 'BROKEN', ...figures.map(String)];
}
