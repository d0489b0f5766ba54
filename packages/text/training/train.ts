/** Trains the concern gate and the area model, and writes the weights file. The same texts give the same bytes. */
import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { startProgress } from '../../tools/terminal/progress.js';
import { fitTopicModel, stepsMax } from './fit.js';
import { dataDefaultPath, heldBackPrefix, readTopicTexts, weightsFile } from './texts.js';

const command = new Command('train:topics')
  .description('Train the topic model. Required after any change of a phrase, a word list or a training text.')
  .option('--data <folder>', 'folder of the data files', dataDefaultPath)
  .option('--out <file>', 'path of the weights file', weightsFile)
  .action(train);
command.parseAsync().catch((error: Error) => {
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
});

async function train({ data, out }: { data: string; out: string }): Promise<void> {
  const { sad, labeled } = readTopicTexts(data);
  const training = labeled.filter(({ kind }) => !kind.startsWith(heldBackPrefix));
  const progress = startProgress(process.stderr, stepsMax, 'steps');
  const bytes = fitTopicModel(sad, training, () => progress.advance());
  progress.stop();
  writeFileSync(out, bytes);
  console.log(`${sad.length} SAD rows, ${training.length} labeled texts, ${(bytes.length / 2 ** 20).toFixed(2)} MB`);
}
