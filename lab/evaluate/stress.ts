/**
 * Measures how well the stress score separates stressors from rest. Replays a recording over HTTP to a service in a
 * child process, with a temporary database and a manual clock. Standard output contains only the tables.
 */
import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import {
  aucColumns,
  aucSections,
  describe,
  type Evaluation,
  personalAnswers,
  publishedStates,
  replayVariants,
} from '../../packages/tools/evaluate/evaluation.js';
import { type AnsweredReading, spacingSeconds, variantsFor } from '../../packages/tools/evaluate/variants.js';
import { readWindows } from '../../packages/tools/recordings/read-windows.js';
import { groupBySubject, type RecordedWindow } from '../../packages/tools/recordings/recorded-window.js';
import { protocolOrder, summarize, summaryColumns } from '../../packages/tools/task-summary.js';
import { startProgress } from '../../packages/tools/terminal/progress.js';
import { save } from '../../packages/tools/terminal/save.js';
import { markdownTable, type TableRow, textTable } from '../../packages/tools/terminal/table.js';
import { findBand } from '../../packages/score/states.js';
import { launch } from '../../testkit/launch.js';
import { sampleRecording } from '../../testkit/sample-recording.js';
import { confidenceColumns, confidenceRow, judgeState } from '../../testkit/simulation/confidence.js';
import { everydayColumns, everydayRows, replayEveryday } from '../../testkit/simulation/everyday.js';
import { sceneColumns, sceneDraws, sceneRows } from '../../testkit/simulation/scenes.js';
import { readStreams } from '../../testkit/simulation/stream.js';
import { startLocalService } from './support/local-service.js';
import { sideOf, windowFormat } from './support/side.js';
import { densityColumns, densityRows } from './support/stream-tables.js';
import { densities, evaluateStreams } from './support/streams.js';
import { drawTasks, scoresByTask } from './support/task-chart.js';

const report = 'reports/stress-tasks.svg';

interface Options {
  readonly file: string;
  readonly markdown: boolean;
  readonly everyday: boolean;
  readonly density: boolean;
}

const command = new Command('evaluate:stress')
  .description('Replay a recording through the service and measure how well the score separates stressors from rest.')
  .option(
    '--file <csv>',
    'columns subject, label, heart_rate and optionally task, time, sdnn and rmssd; or a stream: subject, second, heart_rate, label',
    sampleRecording,
  )
  .option('--markdown', 'print the tables as Markdown', false)
  .option('--everyday', 'play the everyday streams instead of a recording', false)
  .option('--density', 'also replay streams with a reading every 1, 15 and 60 s, and compare the states', false)
  .action(evaluate);
void launch(command);

async function evaluate(options: Options): Promise<void> {
  const { file, everyday } = options;
  if (everyday) return evaluateEveryday(options);
  const streams = readStreams(await readFile(file, 'utf8').catch(() => ''));
  if (streams) return evaluateStreams(streams, options);
  return evaluateWindows(options);
}

async function evaluateEveryday({ markdown, density }: Options): Promise<void> {
  const service = await startLocalService();
  try {
    const print = markdown ? markdownTable : textTable;
    console.log(print(everydayColumns, [await everydayRows(service)]));
    if (density) console.log(`\n${print(densityColumns, [densityRows(await replayEveryday(service, densities))])}`);
  } finally {
    await service.close();
  }
}

async function evaluateWindows({ file, markdown }: Options): Promise<void> {
  const windows = await load(file);
  const evaluation = await replayAll(windows);
  const print = markdown ? markdownTable : textTable;
  console.log(`${heading('Recording', markdown)}\n${describe(evaluation, sideOf, wording)}\n`);
  console.log(print(aucColumns, aucSections(evaluation, sideOf)));
  console.log(`\n${fittingNote}\n`);
  console.log(`${print(confidenceColumns, [confidenceRows(evaluation)])}\n`);
  console.log(`${heading('States by task', markdown)}\n${taskNote}\n`);
  console.log(print(summaryColumns, summarize(windows, publishedStates(evaluation))));
  console.log(`\n${heading('Reference scenes', markdown)}\n${sceneNote}\n`);
  console.log(print(sceneColumns, [sceneRows()]));
  await save(report, draw(evaluation));
}

/** Returns one row per variant with the confidence of all windows that are compared. */
function confidenceRows({ answers }: Evaluation): TableRow[] {
  return [...answers].map(([name, people]) => {
    const compared = people.flat().filter(({ window }) => sideOf(window) !== undefined);
    const judge = ({ window, score, confidence }: AnsweredReading) =>
      judgeState({ state: findBand(score).state, confidence }, sideOf(window) === 'stressor');
    return confidenceRow(name, compared.map(judge));
  });
}

async function load(file: string): Promise<RecordedWindow[]> {
  try {
    const windows = readWindows(await readFile(file, 'utf8'), windowFormat).filter(
      ({ values }) => Object.keys(values).length > 0,
    );
    const labels = new Set(windows.map(sideOf).filter((side) => side !== undefined));
    if (labels.size < 2)
      throw new Error('the file must have rows with the label stressor and rows with the label rest');
    return windows;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const reason = isMissing ? 'there is no such file' : (error as Error).message;
    throw new Error(`cannot read --file ${file}: ${reason}`);
  }
}

async function replayAll(windows: readonly RecordedWindow[]): Promise<Evaluation> {
  const variants = variantsFor(windows);
  const service = await startLocalService();
  const progress = startProgress(process.stderr, windows.length * variants.length, 'readings');
  try {
    return await replayVariants(service, variants, [...groupBySubject(windows).values()], progress.advance);
  } finally {
    progress.stop();
    await service.close();
  }
}

const wording = { pace: `${spacingSeconds} s apart`, labels: 'label stressor against label rest' };
const taskNote = `Variant personal: the published states, ${spacingSeconds} s apart.`;

const fittingNote = [
  'This command fits nothing: every constant is in packages/score/model.ts, with its source. The constants were',
  'chosen with the StressID development file, everyday streams and wrist data in view. Choosing four of them for AUC',
  'alone, per person on the other 47 (leave-one-subject-out), gave 0.918 for personal.',
].join('\n');

const sceneNote = `${sceneDraws} draws per scene, a new subject each time: the state after ten readings, two seconds apart.`;

function heading(title: string, isMarkdown: boolean): string {
  return isMarkdown ? `### ${title}\n` : title;
}

function draw(evaluation: Evaluation): string {
  const { people } = evaluation;
  const tasks = scoresByTask(protocolOrder(people.flat()), personalAnswers(evaluation).flat(), sideOf);
  const subtitle = `${people.length} people, each with a personal baseline; tasks in the recorded order, two minutes apart`;
  return drawTasks(tasks, 'Stress score by task', subtitle);
}
