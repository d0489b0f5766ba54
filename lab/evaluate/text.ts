/**
 * Measures what the service reads in messages, with the code of the service, on texts that the training did not contain.
 * Trains all models once per author of dangers, without the texts that are judged.
 */
import { Command, Option } from 'commander';
import { dataDefaultPath } from '../../packages/text/training/texts.js';
import { formatTable } from '../../packages/tools/terminal/table.js';
import { launch } from '../../testkit/launch.js';
import { measureDilution } from './text/dilution.js';
import { measureLanguages } from './text/languages.js';
import { foldTotal, howLeftOut, type LeftOut, noFolds, trainWithoutFolds } from './text/left-out.js';
import type { Figures } from './text/lines.js';
import { measureOwnWords } from './text/own-words.js';
import { measureSafety } from './text/safety.js';
import { measureSentiment } from './text/sentiment.js';
import { measureTopics } from './text/topics.js';
import { measureVoices } from './text/voices.js';

interface Options {
  readonly data: string;
  readonly only: ReadonlyArray<keyof typeof parts>;
  readonly models?: string;
  readonly trainings: string;
  readonly heldOut: boolean;
  readonly markdown: boolean;
}

type Measure = (data: string, leftOut: LeftOut, isHeldOut: boolean) => Figures[];
const parts = {
  dilution: measureDilution,
  safety: measureSafety,
  voices: measureVoices,
  languages: measureLanguages,
  'own-words': measureOwnWords,
  topics: measureTopics,
  sentiment: measureSentiment,
} satisfies Record<string, Measure>;
const names = Object.keys(parts);

const command = new Command('evaluate:text')
  .description('Measure states, dangers, languages and topics of messages on texts outside of the training data.')
  .option('--data <folder>', 'folder of the data files', dataDefaultPath)
  .addOption(new Option('--only <part...>', 'parts to measure').choices(names).default(names))
  .option('--models <folder>', 'keep the trained models, for changes outside of the training')
  .addOption(
    new Option(
      '--trainings <n>',
      'train only the first models, and judge only their texts: dilution, topics, sentiment',
    )
      .choices(Array.from({ length: foldTotal }, (_, i) => String(i + 1)))
      .default(String(foldTotal)),
  )
  .option('--held-out', 'judge the texts of held-out authors too. Only for the reported figures', false)
  .option('--markdown', 'print Markdown tables', false)
  .action(evaluate);
void launch(command);

async function evaluate({ data, only, models, trainings, heldOut, markdown }: Options): Promise<void> {
  // The voices are in no training of the released model.
  const leftOut = only.every((name) => name === 'voices')
    ? noFolds
    : await trainWithoutFolds(data, models, Number(trainings));
  console.log(howLeftOut);
  for (const name of only)
    for (const { columns, sections } of (parts[name] as Measure)(data, leftOut, heldOut))
      console.log(`\n${formatTable({ markdown }, columns, sections)}`);
}
