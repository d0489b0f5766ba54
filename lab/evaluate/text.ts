/**
 * Measures what the service reads in messages, with the code of the service, on texts that the training did not contain.
 * Trains all models once per author of dangers, without the texts that are judged.
 */
import { Command, Option } from 'commander';
import { dataDefaultPath } from '../../packages/text/training/texts.js';
import { startProgress } from '../../packages/tools/terminal/progress.js';
import { launch } from '../../testkit/launch.js';
import { printDilution } from './text/dilution.js';
import { foldTotal, howLeftOut, type LeftOut, trainWithoutFolds } from './text/left-out.js';
import { printSafety } from './text/safety.js';

interface Options {
  readonly data: string;
  readonly only: readonly Part[];
  readonly models?: string;
  readonly heldOut?: true;
}

const parts = ['dilution', 'safety'] as const;
type Part = (typeof parts)[number];

const command = new Command('evaluate:text')
  .description('Measure states, dangers, languages and topics of messages on texts outside of the training data.')
  .option('--data <folder>', 'folder of the data files', dataDefaultPath)
  .addOption(new Option('--only <part...>', 'parts to measure').choices(parts).default(parts))
  .option(
    '--models <folder>',
    'keep the trained models, and use those that are there: for changes outside of the training',
  )
  .option('--held-out', 'judge the texts of held-out authors too. Only for the reported figures')
  .action(evaluate);
void launch(command);

function evaluate({ data, only, models, heldOut }: Options): void {
  const leftOut = train(data, models);
  console.log(howLeftOut);
  if (only.includes('dilution')) printDilution(data, leftOut);
  if (only.includes('safety')) printSafety(data, leftOut, heldOut ?? false);
}

function train(data: string, models: string | undefined): LeftOut {
  const progress = startProgress(process.stderr, foldTotal, 'trainings without a part of the texts');
  const leftOut = trainWithoutFolds(data, models, () => progress.advance());
  progress.stop();
  return leftOut;
}
