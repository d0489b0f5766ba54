/**
 * Measures Trigger Memory over weeks. Simulates people whose days are those of real wearers, with rises of the heart
 * rate after stressful turns and sentences that no model was fitted on. Standard output contains only the tables.
 */
import { Command, Option } from 'commander';
import { dataDefaultPath } from '../../packages/text/training/texts.js';
import { figureColumns, formatTable } from '../../packages/tools/terminal/table.js';
import { launch } from '../../testkit/launch.js';
import { seeds } from '../options.js';
import { judgeWeeks } from './support/life-weeks.js';
import { type Sharing, sharings } from './support/weeks-run.js';

interface Options {
  readonly data: string;
  readonly seeds?: readonly number[];
  readonly sharing: readonly Sharing[];
  readonly markdown: boolean;
}

const command = new Command('evaluate:weeks')
  .description('Measure how well Trigger Memory finds the topics that stress a person, from the heart rate alone.')
  .option('--data <folder>', 'folder of the data files', dataDefaultPath)
  .option('--seeds <numbers...>', 'seeds of people and sentences, e.g. 4-9; a seed takes minutes', seeds)
  .addOption(new Option('--sharing <names...>', 'what a turn is scored with').choices(sharings).default(['shared']))
  .option('--markdown', 'print the table as Markdown', false)
  .action(evaluate);
void launch(command);

async function evaluate({ data, seeds: chosen = [1, 2, 3], sharing, markdown }: Options): Promise<void> {
  for (const it of sharing) {
    const columns = [{ title: `heart alone, sessions ${it}` }, ...figureColumns('goal', 'result')];
    console.log(formatTable({ markdown }, columns, [await judgeWeeks(data, chosen, it)]));
  }
}
