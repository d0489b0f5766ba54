/** Measures the domain code in this process and prints two tables. The arguments are the numbers of readings and turns. */
import { readFileSync } from 'node:fs';
import { enums } from '../../../generated/spec.js';
import { loadTextModel } from '../../../packages/text/model.js';
import { createTexts, createTextAnalyzer, type Turn } from '../../../packages/text/texts.js';
import { quantile } from '../../../packages/tools/terminal/quantile.js';
import { seededRandom } from '../../../packages/tools/terminal/scenes.js';
import { textTable } from '../../../packages/tools/terminal/table.js';
import { gatherTopics } from '../../../src/score/gather.js';
import type { Baseline, Session } from '../../../src/score/remembered.js';
import { advanceSession } from '../../../src/score/session.js';
import type { Reading } from '../../../src/score/signals.js';
import { toStateReading } from '../../../src/score/state-reading.js';
import { figureColumns } from '../../figures.js';

const [readings = 0, turns = 0] = process.argv.slice(2).map(Number);
const warmUp = 50_000;
const runs = 9;
const seed = 3;
const startMs = Date.UTC(2026, 0, 5, 9);
const charactersMax = 4_000;

const everyday =
  'My boss asked me to stay late again and I could not say no. I wanted to be home for dinner with the kids. ' +
  'My sister called about our mother, who has been ill since spring, and I had no time to talk. The rent is due on Friday! ' +
  'I slept badly, I keep thinking about the exam and whether I should move to another town. Anyway, how are you doing? ';
const texts: Readonly<Record<string, string>> = {
  'everyday talk': everyday.repeat(20),
  'a turn of 200 + 300': everyday.slice(0, 500),
  ...Object.fromEntries(
    Object.entries({
      ...{ 'one letter words': 'a ', 'one long word': 'a', 'negations and topics': 'not work ' },
      ...{ emoji: '😀', Hangul: '한', 'lone surrogates': '\ud800', NUL: '\0' },
    }).map(([name, part]) => [name, part.repeat(charactersMax)]),
  ),
};

const full = drawReadings();
const heartOnly = full.map(({ heart_rate }) => ({ heart_rate }));
const rows = [
  ['every signal', ...measure(full)],
  ['heart rate only', ...measure(heartOnly)],
];
console.log(textTable([{ title: 'reading with' }, ...figureColumns('µs, median', 'min', 'max')], [rows]));
console.log(`\nCPU time per reading, ${runs} runs of ${readings} readings after ${warmUp} warm-up readings.\n`);
measureTopics();

function measure(drawn: ReadonlyArray<Omit<Reading, 'atMs'>>): string[] {
  stream(drawn, warmUp);
  const figures = Array.from({ length: runs }, () => {
    const before = process.cpuUsage();
    stream(drawn, readings);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / readings;
  });
  return [0.5, 0, 1].map((share) => quantile(figures, share).toFixed(1));
}

/** Processes one session of a known subject with a reading every two seconds. Updates the baseline. */
function stream(drawn: ReadonlyArray<Omit<Reading, 'atMs'>>, count: number): void {
  let session: Session | undefined;
  let baseline: Baseline | undefined;
  for (let index = 0; index < count; index += 1) {
    const reading = { ...drawn[index % drawn.length], atMs: startMs + index * 2_000, subjectId: 'somebody' };
    const step = advanceSession(session, reading, baseline);
    session = step.session;
    baseline = step.baseline;
    toStateReading('session', step.computed);
  }
}

function drawReadings() {
  const random = seededRandom(seed);
  const oneOf = <L>(labels: readonly L[]) => labels[Math.floor(random() * labels.length)] as L;
  return Array.from({ length: 1_000 }, () => ({
    heart_rate: 60 + 40 * random(),
    sdnn: 20 + 60 * random(),
    tone: oneOf(enums.Tone),
    expression: oneOf(enums.Expression),
    sentiment: 2 * random() - 1,
  }));
}

function measureTopics(): void {
  const bytes = readFileSync('packages/text/weights/text.bin');
  const [before, startedAtMs] = [usedBytes(), performance.now()];
  const analyzer = createTextAnalyzer(loadTextModel(bytes));
  const loadedMs = performance.now() - startedAtMs;
  const cells = Object.entries(texts).map(([name, whole]) =>
    measureTurn(name, whole, (turn) => gatherTopics(undefined, analyzer.analyzeTurn(turn))),
  );
  const whole = measureTurn('a turn, with safety and sentiment', everyday.slice(0, 500), createAnalysis());
  console.log(
    textTable(
      [{ title: 'topics of' }, ...figureColumns('characters', 'µs, median', '90th percentile')],
      [cells, [whole]],
    ),
  );
  const megabytes = ((usedBytes() - before) / 2 ** 20).toFixed(1);
  console.log(`\nThe model loads in ${loadedMs.toFixed(0)} ms and takes ${megabytes} MB.`);
}

/** Returns the whole analysis of a turn: language, safety, topics and sentiment. */
function createAnalysis(): (turn: Turn) => void {
  const texts = createTexts(readFileSync('packages/text/weights/text.bin'));
  return ({ user_message, ai_response }) => {
    const { turn } = texts.analyze(user_message, ai_response);
    if (turn) gatherTopics(undefined, turn);
  };
}

function measureTurn(name: string, whole: string, analyze: (turn: Turn) => void): string[] {
  const text = whole.slice(0, charactersMax);
  const half = Math.ceil(text.length / 2);
  const turn = { user_message: text.slice(0, half), ai_response: text.slice(half) };
  const times = Array.from({ length: turns }, () => {
    const beganAtMs = performance.now();
    analyze(turn);
    return 1000 * (performance.now() - beganAtMs);
  }).slice(Math.floor(turns / 4));
  return [name, String(text.length), ...[0.5, 0.9].map((share) => quantile(times, share).toFixed(0))];
}

function usedBytes(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
