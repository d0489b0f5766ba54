/**
 * Measures Trigger Memory over weeks. Simulates people whose days are those of real wearers, with rises of the heart
 * rate after stressful turns and sentences of authors that no model was fitted on. Standard output contains only the tables.
 */
import { Command, Option } from 'commander';
import { dataDefaultPath } from '../../packages/text/training/texts.js';
import { figureColumns, formatTable } from '../../packages/tools/terminal/table.js';
import { launch } from '../../testkit/launch.js';
import { seeds } from '../options.js';
import { judgeWeeks } from './support/life-weeks.js';
import { type Mode, modes } from './support/weeks-run.js';

interface Options {
  readonly data: string;
  readonly seeds?: readonly number[];
  readonly modes: readonly Mode[];
  readonly models?: string;
  readonly markdown: boolean;
}

const command = new Command('evaluate:weeks')
  .description(
    'Measure how well Trigger Memory finds the topics that stress a person, from the heart rate alone and with words.',
  )
  .option('--data <folder>', 'folder of the data files', dataDefaultPath)
  .option('--seeds <numbers...>', 'seeds of people and sentences, e.g. 4-9; a seed takes minutes', seeds)
  .addOption(new Option('--modes <names...>', 'what tells of stress').choices(modes).default(modes))
  .option('--models <folder>', 'keep the trained models')
  .option('--markdown', 'print the table as Markdown', false)
  .action(evaluate);
void launch(command);

async function evaluate({ data, seeds: chosen = [1, 2, 3], modes, models, markdown }: Options): Promise<void> {
  for (const mode of modes) {
    const title = mode === 'heart' ? 'heart alone' : 'heart and words';
    const columns = [{ title: `topics, ${title}` }, ...figureColumns('goal', 'result')];
    console.log(formatTable({ markdown }, columns, [await judgeWeeks(data, models, chosen, mode)]));
  }
}
