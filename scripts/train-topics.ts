/** Trains the area model of the topics on SAD and writes the weights file; the same rows give the same bytes. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { startProgress } from './terminal/progress.js';
import { fitTopicModel, stepsMax } from './topics/fit.js';
import { readSad, sadDefaultPath } from './topics/sad.js';

const weightsFile = fileURLToPath(new URL('../src/domain/topics/weights.bin', import.meta.url));

const command = new Command('train:topics')
  .description('Train the area model of the topics on SAD; needed after any change of a phrase or word class.')
  .option('--data <csv>', 'the SAD rows', sadDefaultPath)
  .option('--out <file>', 'where the weights go', weightsFile)
  .action(train);
command.parseAsync().catch((error: unknown) => {
  console.error(`error: ${(error as Error).message}`);
  process.exitCode = 1;
});

async function train({ data, out }: { data: string; out: string }): Promise<void> {
  const rows = readSad(data);
  const progress = startProgress(process.stderr, stepsMax, 'steps');
  const bytes = fitTopicModel(rows, () => progress.advance());
  progress.stop();
  writeFileSync(out, bytes);
  console.log(`${rows.length} sentences, ${(bytes.length / 2 ** 20).toFixed(2)} MB of weights`);
}
