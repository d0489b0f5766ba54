/**
 * Scores the texts of `tools benchmark` with models that were not trained on them, and writes the CSV for `--scores`. The released
 * models know these texts, and the training is no part of the released program.
 */
import { Command, Option } from 'commander';
import { dataDefaultPath } from '../../packages/text/training/texts.js';
import { type Score, toScore } from '../../packages/tools/evaluate/figures/figures.js';
import { scoreAreas } from '../../packages/tools/evaluate/scores/own-scores.js';
import { tasks } from '../../packages/tools/evaluate/protocol/tasks.js';
import type { Read } from '../../packages/tools/evaluate/protocol/wearers.js';
import { writeScores } from '../../packages/tools/evaluate/scores/scores-file.js';
import { answer, simulateWeeks } from '../../packages/tools/evaluate/protocol/weeks.js';
import { readFrom } from '../../packages/tools/read-text.js';
import { save } from '../../packages/tools/terminal/save.js';
import { launch } from '../../testkit/launch.js';
import { liveThrough } from './support/weeks-run.js';
import { foldTotal, type LeftOut, trainWithoutFolds } from './text/left-out.js';
import { playTurns } from './text/state.js';

const scorers = { texts: scoreTexts, weeks: scoreWeeks };

interface Options {
  readonly task: keyof typeof scorers;
  readonly data: string;
  readonly out: string;
  readonly models?: string;
}

const command = new Command('evaluate:benchmark')
  .description('Score the texts of the benchmark with models that were not trained on them.')
  .addOption(new Option('--task <name>', 'task').choices(Object.keys(scorers)).makeOptionMandatory())
  .requiredOption('--out <csv>', 'file for `tools benchmark --scores`')
  .option('--data <folder>', 'folder of the data files', dataDefaultPath)
  .option('--models <folder>', 'keep the trained models')
  .action(evaluate);
void launch(command);

async function evaluate({ task, data, out, models }: Options): Promise<void> {
  const leftOut = await trainWithoutFolds(data, models, foldTotal);
  const scores = scorers[task](readFrom(data), leftOut);
  await save(out, writeScores(scores), '--out');
}

function scoreTexts(read: Read, leftOut: LeftOut): [string, Score][] {
  return tasks.texts.load(read).rows.map(({ id, window: { label, texts } }) => {
    const text = texts?.user_message ?? '';
    const analyzer = leftOut.find(label, text);
    return [id, toScore(playTurns(analyzer, [text])?.latest.score ?? 0)];
  });
}

function scoreWeeks(read: Read, leftOut: LeftOut): [string, Score][] {
  const triggers = new Map(
    simulateWeeks(read).lives.map((life) => {
      const turns = life.turns.map((turn) => {
        const { text, area, source } = turn.message;
        const analyzer = leftOut.find(source, text);
        const analysis = analyzer.analyzeTurn({ user_message: text, ai_response: answer });
        return { ...turn, message: { area, analysis } };
      });
      const { profile } = liveThrough({ ...life, turns }, 'heart');
      return [life.person, profile.triggers];
    }),
  );
  return scoreAreas(tasks.weeks.load(read).rows, triggers);
}
