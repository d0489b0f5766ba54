/**
 * Compares the CPU time per request of this tree with that of another one, e.g. of the last release. Both services run at
 * the same time and get slices of a few hundred requests in turns, so that a noisy machine slows both alike.
 */
import { join } from 'node:path';
import { Command } from 'commander';
import { textTable } from '../../../packages/tools/terminal/table.js';
import { figureColumns } from '../../figures.js';
import { positive } from '../../options.js';
import { databaseOption, type DatabaseChoice, findDatabases, titleOf, withDatabase } from '../support/databases.js';
import type { Load } from '../support/requests.js';
import { middleOf, takeTurns } from '../support/rounds.js';
import { openService, threads } from '../support/slices.js';

interface Options {
  readonly database: DatabaseChoice;
  readonly slices: number;
  readonly requests: number;
}

export const slices = new Command('slices')
  .description('CPU time per request of each thread, compared with another tree in alternating slices.')
  .argument('<folder>', 'the other tree, with its build (npm ci && npm run build)')
  .addOption(databaseOption)
  .option('--slices <number>', 'slices of each tree', positive, 30)
  .option('--requests <number>', 'requests of a slice', positive, 300)
  .action(compare);

async function compare(folder: string, options: Options): Promise<void> {
  const mains = { before: join(folder, 'dist/main.js'), after: 'dist/main.js' };
  for (const kind of await findDatabases(options.database))
    for (const load of ['plain', 'turn'] as const) {
      const rows = await withDatabase(kind, (before) =>
        withDatabase(kind, (after) => measure(load, mains, { before, after }, options)),
      );
      const columns = figureColumns('before', 'after', 'ratio');
      console.log(`\n${titleOf(kind)}, ${load}: CPU per request, µs, medians of the slices`);
      console.log(textTable([{ title: 'thread' }, ...columns], [rows]));
    }
}

type Sides<T> = Readonly<Record<'before' | 'after', T>>;

async function measure(load: Load, mains: Sides<string>, urls: Sides<string>, { slices, requests }: Options) {
  const sides = {
    before: await openService(mains.before, urls.before),
    after: await openService(mains.after, urls.after),
  };
  try {
    // The first slices compile the code.
    const spent = await takeTurns(['before', 'after'], slices + 2, (side) => sides[side].run(load, requests));
    return Object.entries(threads).map(([title, pick]) => {
      const [before, after] = [middleOf(spent.before.slice(2), pick), middleOf(spent.after.slice(2), pick)];
      return [title, before.toFixed(0), after.toFixed(0), before > 0 ? (after / before).toFixed(2) : ''];
    });
  } finally {
    await Promise.all([sides.before.stop(), sides.after.stop()]);
  }
}
