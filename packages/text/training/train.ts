/** Trains all models of texts and writes their weights. The same texts give the same bytes. */
import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { startProgress } from '../../tools/terminal/progress.js';
import { createReadMessage, encodeModels, fitTopics, topicStepsMax } from './fit.js';
import * as safety from './safety.js';
import * as severity from './severity.js';
import { dataDefaultPath, heldBackPrefix, readTopicTexts, weightsFile } from './texts.js';

const command = new Command('train')
  .description('Train all models of texts. Required after any change of a phrase, a word list or a training text.')
  .option('--data <folder>', 'folder of the data files', dataDefaultPath)
  .option('--out <file>', 'file of the weights', weightsFile)
  .action(train);
command.parseAsync().catch((error: Error) => {
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
});

function train({ data, out }: { data: string; out: string }): void {
  const { sad, labeled } = readTopicTexts(data);
  const topicTexts = labeled.filter(({ kind }) => !kind.startsWith(heldBackPrefix));
  const [severityTexts, safetyTexts] = [severity.readSeverityTexts(data), safety.readSafetyTexts(data)];
  const progress = startProgress(process.stderr, topicStepsMax + severity.stepsMax + safety.stepsMax, 'steps');
  const onStep = () => progress.advance();
  const topics = fitTopics(sad, topicTexts, onStep);
  const readMessage = createReadMessage(topics.vocabulary);
  const bytes = encodeModels({
    ...topics,
    severity: severity.fitSeverity(severityTexts, readMessage, onStep),
    safety: safety.fitSafety(safetyTexts, readMessage, onStep),
  });
  progress.stop();
  writeFileSync(out, bytes);
  const counts = `topics ${topicTexts.length}, severity ${severityTexts.length}, safety ${safetyTexts.length}`;
  console.log(`texts: ${counts}. ${(bytes.length / 2 ** 20).toFixed(2)} MB`);
}
