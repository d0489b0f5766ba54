import { markdownTable, textTable } from '../../../packages/tools/terminal/table.js';
import type { DatabaseKind } from '../../../testkit/databases.js';
import { figureColumns } from '../../figures.js';
import { type DatabaseChoice, findDatabases, titleOf } from './databases.js';
import { describeMachine, loadLine } from './machine.js';

/** The title, the value and the goal of a figure. */
export type Figure = readonly [title: string, value: string, goal?: string];

export interface FigureOptions {
  readonly database: DatabaseChoice;
  readonly markdown?: boolean;
}

/** Measures each database and prints its figures as a table. */
export async function printFigures(
  { database, markdown }: FigureOptions,
  measure: (kind: DatabaseKind) => Promise<readonly Figure[]>,
): Promise<void> {
  const print = markdown ? markdownTable : textTable;
  console.log(`${loadLine(describeMachine())}\n`);
  for (const kind of await findDatabases(database)) {
    const rows = (await measure(kind)).map(([title, value, goal = '']) => [title, value, goal]);
    console.log(`${print([{ title: titleOf(kind) }, ...figureColumns('result', 'goal')], [rows])}\n`);
  }
}
