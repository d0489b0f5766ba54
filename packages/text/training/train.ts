/** Trains all models of texts and writes their weights. The same texts give the same bytes. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { startProgress } from '../../tools/terminal/progress.js';
import * as topics from './fit.js';
import * as safety from './safety.js';
import * as severity from './severity.js';
import { dataDefaultPath, heldBackPrefix, readTopicTexts, weightsFolder } from './texts.js';

interface Options {
  readonly data: string;
  readonly out: string;
  readonly only?: string;
}

/** A training of one file of weights. It reads the data files of a folder. */
interface Training {
  readonly stepsMax: number;
  train(data: string, onStep: () => void): { bytes: Uint8Array; texts: number };
}

const trainings: Readonly<Record<string, Training>> = {
  topics: {
    stepsMax: topics.stepsMax,
    train(data, onStep) {
      const { sad, labeled } = readTopicTexts(data);
      const texts = labeled.filter(({ kind }) => !kind.startsWith(heldBackPrefix));
      return { bytes: topics.fitTopicModel(sad, texts, onStep), texts: texts.length };
    },
  },
  severity: {
    stepsMax: severity.stepsMax,
    train(data, onStep) {
      const texts = severity.readSeverityTexts(data);
      return { bytes: severity.encodeSeverity(severity.fitSeverity(texts, onStep)), texts: texts.length };
    },
  },
  safety: {
    stepsMax: safety.stepsMax,
    train(data, onStep) {
      const texts = safety.readSafetyTexts(data);
      return { bytes: safety.encodeSafety(safety.fitSafety(texts, onStep)), texts: texts.length };
    },
  },
};

const command = new Command('train')
  .description('Train all models of texts. Required after any change of a phrase, a word list or a training text.')
  .option('--data <folder>', 'folder of the data files', dataDefaultPath)
  .option('--out <folder>', 'folder of the weights', weightsFolder)
  .option('--only <name>', `one of ${Object.keys(trainings).join(', ')}`)
  .action(run);
command.parseAsync().catch((error: Error) => {
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
});

async function run({ data, out, only }: Options): Promise<void> {
  for (const [name, { stepsMax, train }] of Object.entries(trainings)) {
    if (only !== undefined && only !== name) continue;
    const progress = startProgress(process.stderr, stepsMax, 'steps');
    const { bytes, texts } = train(data, () => progress.advance());
    progress.stop();
    writeFileSync(join(out, `${name}.bin`), bytes);
    console.log(`${name}: ${texts} texts, ${(bytes.length / 2 ** 20).toFixed(2)} MB`);
  }
}
