/** Trains the model of severity and writes its weights file. The same texts give the same bytes. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { startProgress } from '../../tools/terminal/progress.js';
import { encodeSeverity, fitSeverity, readSeverityTexts, stepsMax } from './severity.js';
import { dataDefaultPath } from './texts.js';

const weightsFile = fileURLToPath(new URL('../weights/severity.bin', import.meta.url));

const command = new Command('train:severity')
  .description('Train the model that estimates the severity of distress in a message.')
  .option('--data <folder>', 'folder of the data files', dataDefaultPath)
  .option('--out <file>', 'path of the weights file', weightsFile)
  .action(train);
command.parseAsync().catch((error: Error) => {
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
});

async function train({ data, out }: { data: string; out: string }): Promise<void> {
  const texts = readSeverityTexts(data);
  const progress = startProgress(process.stderr, stepsMax, 'steps');
  const bytes = encodeSeverity(fitSeverity(texts, () => progress.advance()));
  progress.stop();
  writeFileSync(out, bytes);
  console.log(`${texts.length} texts, ${(bytes.length / 2 ** 20).toFixed(2)} MB`);
}
