/**
 * Measures the safety findings and the recognition of languages, with the code of the service. Prints tables. Leaves out
 * each author of the training voices once, and judges these voices and a part of the everyday texts.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { loadTextModel } from '../../packages/text/model.js';
import { safetyFinding as settings } from '../../packages/text/settings.js';
import { computeDangerLogOdds, findExplicit, type SafetyKind } from '../../packages/text/safety.js';
import { createTextAnalyzer } from '../../packages/text/texts.js';
import { createReadMessage, encodeModels } from '../../packages/text/training/fit.js';
import { readRecords } from '../../packages/text/training/sad.js';
import {
  fitSafety,
  readExplicit,
  readSafetyTexts,
  type SafetyText,
  toDanger,
  voicesByAuthor,
} from '../../packages/text/training/safety.js';
import { readOwnTexts } from '../../packages/text/training/severity.js';
import { dataDefaultPath, weightsFile } from '../../packages/text/training/texts.js';
import { decodeWeights } from '../../packages/text/weights.js';
import { startProgress } from '../../packages/tools/terminal/progress.js';
import { textTable } from '../../packages/tools/terminal/table.js';
import { figureColumns } from '../figures.js';
import { shareCells } from './support/share.js';

interface Options {
  readonly data: string;
  readonly crossValidation: boolean;
  readonly heldOut?: true;
  readonly errors?: true;
}

/** Texts of one kind. */
interface Kind {
  readonly name: string;
  readonly texts: readonly string[];
}

/** A text with what the detector found. `expected` is undefined if the writer threatens somebody else. */
interface Judged {
  readonly text: string;
  readonly source: string;
  readonly expected: SafetyText['danger'] | undefined;
  readonly found: SafetyKind | undefined;
  readonly withoutPunctuation: SafetyKind | undefined;
  /** Log odds of any danger. Infinite for an explicit statement. */
  readonly logOdds: number;
}

type Analyzer = ReturnType<typeof createTextAnalyzer>;

const options = new Command('evaluate:safety')
  .description('Measure the safety findings of messages, and the recognition of languages.')
  .option('--data <folder>', 'folder of the data files', dataDefaultPath)
  .option('--no-cross-validation', 'do not train without each author')
  .option('--held-out', 'judge the texts of held-out authors too. Only for the reported figures')
  .option('--errors', 'print the wrong results, except those of the held-out texts')
  .parse()
  .opts<Options>();

const ownFolder = fileURLToPath(new URL('../../packages/text/training/texts', import.meta.url));
const released = decodeWeights(readFileSync(weightsFile));
const analyzer = createTextAnalyzer(loadTextModel(readFileSync(weightsFile)));
const columns = figureColumns('texts', 'found', '95 % interval');
/** Kinds of the everyday texts of the data files, which no author of this project wrote. */
const everydaySources = ['everyday/request', 'everyday/instruction', 'everyday/chat'];
/** Log odds that the table of operating points compares. */
const operatingPoints = [-1.2, -0.8, -0.6, -0.4, -0.3, -0.25, -0.2, 0, 0.2, 0.4];
/** Questions to a counselor that describe a danger to their writer, by the labels of this project. They are in no training. */
const counselorDangers = [17, 28, 67, 74, 107, 222, 282, 452, 620, 639, 753];
/** Number of words from which a text must be recognized. Texts without spaces always count. */
const foreignWordsMin = 5;
const englishWordsMin = 3;

if (options.crossValidation) printLeftOut();
if (options.heldOut) printHeldOut();
printOthers();
printLanguages();
printDangersInLanguages();
printTime();

/** Judges the voices of each author, and a part of the others, with a model that was trained without them. */
function printLeftOut(): void {
  const texts = readSafetyTexts(options.data);
  const readMessage = createReadMessage(released.vocabulary);
  const progress = startProgress(process.stderr, voicesByAuthor.length, 'trainings');
  const judged = voicesByAuthor.flatMap((own, fold) => {
    const sources = own.map((voice) => `voices/${voice}`);
    const isLeftOut = ({ source }: SafetyText, i: number) =>
      /^(voices|development|explicit)/.test(source) ? sources.includes(source) : spread(i) === fold;
    const safety = fitSafety(
      texts.filter((it, i) => !isLeftOut(it, i)),
      readMessage,
    );
    const trained = createTextAnalyzer(loadTextModel(encodeModels({ ...released, safety })));
    progress.advance();
    return [
      ...texts.filter(isLeftOut).map((it) => judge(trained, it.text, it.source, it.danger)),
      ...sources.flatMap((source) => readThreats(source, trained)),
    ];
  });
  progress.stop();
  const sources = voicesByAuthor.flat().map((voice) => `voices/${voice}`);
  printVoices('each author left out of the training', judged, sources);
  printOperatingPoints(judged, sources);
  const rows = everydaySources.map((source) => alarmRow(source, ofSource(judged, source)));
  const everyday = judged.filter(isEveryday);
  const others = ['comments', 'sad', 'glad', 'neutral', 'others', 'everyday', 'concerns', 'labeled'].map((source) =>
    alarmRow(
      source,
      ofSource(judged, source).filter((it) => !everyday.includes(it)),
    ),
  );
  const all = alarmRow('everyday, all three', everyday);
  print('texts without a danger, left out', [rows, [all], others]);
}

function isEveryday({ source }: Judged): boolean {
  return everydaySources.includes(source);
}

/** Prints what each threshold finds in the authors and everyday texts that were left out. */
function printOperatingPoints(judged: readonly Judged[], sources: readonly string[]): void {
  const ofVoices = judged.filter(({ source }) => sources.includes(source));
  const groups = [
    judged.filter(isEveryday),
    ofVoices.filter(({ expected }) => expected === 'none'),
    ofVoices.filter(({ expected }) => expected !== undefined && expected !== 'none'),
  ];
  const rows = operatingPoints.map((min) => [
    `${min}${min === settings.log_odds_min ? ' (in use)' : ''}`,
    ...groups.map((group) => {
      const found = group.filter(({ logOdds }) => logOdds >= min).length;
      return `${found} of ${group.length}, ${((100 * found) / group.length).toFixed(group.length > 1000 ? 2 : 0)} %`;
    }),
  ]);
  const titles = figureColumns('everyday', 'look-alikes', 'dangers');
  console.log(`\n${textTable([{ title: 'log odds at least' }, ...titles], [rows])}`);
}

/** Distributes texts over the folds. */
function spread(i: number): number {
  return (Math.imul(i + 1, 0x9e3779b1) >>> 0) % voicesByAuthor.length;
}

function ofSource(judged: readonly Judged[], source: string): Judged[] {
  return judged.filter((it) => it.source === source || it.source.startsWith(`${source}/`));
}

function printHeldOut(): void {
  const voices = ['veteran', 'carer', 'student', 'night-worker'].map((voice) => `held-out-voices/${voice}`);
  const heldOut = [...voices, 'held-out', 'evaluation'];
  const judged = heldOut.flatMap((source) =>
    [...readOwnTexts(`safety/${source}`), ...readOwnTexts(`safety/${source}/none`)].map(({ text, kind }) =>
      judge(analyzer, text, source, toDanger(kind)),
    ),
  );
  printVoices('texts that are in no training and no choice', judged, heldOut);
  const rows = (['choice', 'held-out'] as const).flatMap((half) => {
    const statements = readExplicit(half).map(({ text, source, danger }) => judge(analyzer, text, source, danger));
    const byPattern = statements.filter(({ logOdds }) => logOdds === Infinity).length;
    return [
      alarmRow(`half ${half}`, statements),
      ['  by a pattern alone', ...shareCells(byPattern, statements.length)],
    ];
  });
  print('explicit statements in the first person and the present', [rows]);
  const questions = readRecords(join(options.data, 'concerns_dev.csv'), ['id', 'text']).map(({ id, text = '' }) =>
    judge(analyzer, text, 'counseling', counselorDangers.includes(Number(id)) ? 'suicidal_thoughts' : 'none'),
  );
  const parts = [true, false].map((isDanger) => questions.filter(({ expected }) => (expected !== 'none') === isDanger));
  print('questions to a counselor', [
    [alarmRow('with a danger', parts[0] ?? []), alarmRow('without a danger', parts[1] ?? [])],
  ]);
}

/** Judges the texts in which the writer threatens somebody else. */
function readThreats(source: string, trained: Analyzer): Judged[] {
  const threats = readOwnTexts(`safety/${source}`).filter(({ kind }) => toDanger(kind) === undefined);
  return threats.map(({ text }) => judge(trained, text, source, undefined));
}

function judge(trained: Analyzer, text: string, source: string, expected: Judged['expected']): Judged {
  return {
    ...{ text, source, expected, found: trained.analyze(text).check.danger },
    withoutPunctuation: trained.analyze(withoutPunctuation(text)).check.danger,
    logOdds: findExplicit(text) ? Infinity : computeDangerLogOdds(trained.scoreMessage(text).safety),
  };
}

/** Returns a text as it is typed on a phone. */
function withoutPunctuation(text: string): string {
  return text.toLowerCase().replace(/[.,;:!?'’"“”()–—-]+/g, (marks) => (/^['’]$/.test(marks) ? '' : ' '));
}

function printVoices(title: string, judged: readonly Judged[], sources: readonly string[]): void {
  const isDanger = ({ expected }: Judged) => expected !== undefined && expected !== 'none';
  const dangers = judged.filter(isDanger);
  const calm = judged.filter(({ expected, source }) => expected === 'none' && sources.includes(source));
  const bySource = (of: readonly Judged[], name: string) =>
    sources.map((it) =>
      alarmRow(
        `${name}, ${it}`,
        of.filter(({ source }) => source === it),
      ),
    );
  const byKind = [...new Set(dangers.map(({ expected }) => expected))].map((kind) =>
    alarmRow(
      `  ${kind}`,
      dangers.filter(({ expected }) => expected === kind),
    ),
  );
  const right = dangers.filter(({ found, expected }) => found === expected);
  const threats = judged.filter(({ expected }) => expected === undefined);
  print(title, [
    [...bySource(dangers, 'dangers'), alarmRow('dangers, all', dangers), ...byKind],
    [
      ['  of the right kind', ...shareCells(right.length, dangers.length)],
      ['  without punctuation', ...shareCells(count(dangers, 'withoutPunctuation'), dangers.length)],
      [
        '  by an explicit pattern',
        ...shareCells(dangers.filter(({ text }) => findExplicit(text)).length, dangers.length),
      ],
    ],
    [...bySource(calm, 'look-alikes'), alarmRow('look-alikes, all', calm)],
    threats.length > 0 ? [alarmRow('threats by the writer', threats)] : [],
  ]);
}

function count(judged: readonly Judged[], field: 'found' | 'withoutPunctuation'): number {
  return judged.filter((it) => it[field] !== undefined).length;
}

function alarmRow(name: string, judged: readonly Judged[]): string[] {
  if (options.errors && !options.heldOut)
    for (const { text, found, expected } of judged)
      if ((found === undefined) !== (expected === 'none'))
        console.log(`    ${expected} ${found}: ${text.slice(0, 300)}`);
  return [name, ...shareCells(count(judged, 'found'), judged.length, judged.length > 1000 ? 2 : 0)];
}

function print(title: string, sections: readonly (readonly string[][])[]): void {
  console.log(`\n${textTable([{ title }, ...columns], sections)}`);
}

/** Judges data without labels. Most of these texts are in the training. */
function printOthers(): void {
  const files = { everyday_dev: 'text', goemotions_dev: 'text', sad_dev: 'sentence', concerns_dev: 'text' };
  const rows = Object.entries(files).map(([file, column]) => {
    const records = readRecords(join(options.data, `${file}.csv`), [column]);
    const found = records.filter((record) => analyzer.analyze(record[column] ?? '').check.danger !== undefined);
    return [file, ...shareCells(found.length, records.length, 2)];
  });
  print('the released model on texts of its training (concerns_dev: no training of safety)', [rows]);
}

function isForeign(text: string): boolean {
  return analyzer.analyze(text).check.isForeign;
}

function printLanguages(): void {
  console.log('\nnot recognized as English');
  for (const { name, texts } of readKinds('languages')) {
    const long = texts.filter((text) => countWords(text) >= foreignWordsMin || /^[^\p{Script=Latin}]*$/u.test(text));
    const found = long.filter(isForeign);
    console.log(`${name.padEnd(34)} ${of(found, long)}`);
    printErrors(long.filter((text) => !isForeign(text)));
  }
  const english = readEnglish().flatMap(({ texts }) => texts);
  const long = english.filter((text) => countWords(text) >= englishWordsMin);
  console.log(`${'English texts'.padEnd(34)} ${of(long.filter(isForeign), long)}   goal at most 1 %`);
  printErrors(long.filter(isForeign));
}

/** Judges the sets of dangers in other languages. The rules were derived from `first` and `second`, not from `third`. */
function printDangersInLanguages(): void {
  for (const set of ['first', 'second', 'third']) {
    const kinds = readKinds(`languages-dangers/${set}`);
    const row = (title: string, isOf: (kind: string) => boolean) => {
      const texts = kinds.filter(({ name }) => isOf(basename(name))).flatMap((it) => it.texts);
      const found = texts.filter((text) => analyzer.analyze(text).check.danger !== undefined);
      return [title, ...shareCells(found.length, texts.length)];
    };
    print(`other languages, set ${set}`, [
      [
        row('dangers', (kind) => !['mixed', 'none'].includes(kind)),
        row('dangers within English text', (kind) => kind === 'mixed'),
        row('look-alikes', (kind) => kind === 'none'),
      ],
    ]);
  }
}

function printTime(): void {
  const texts = readEnglish().flatMap((kind) => kind.texts);
  const analyze = (text: string) => analyzer.analyze(text);
  texts.forEach(analyze);
  const before = process.cpuUsage();
  texts.forEach(analyze);
  const { user, system } = process.cpuUsage(before);
  const length = texts.join('').length / texts.length;
  console.log(
    `\nprocessor time of language, safety and sentiment: ${((user + system) / texts.length).toFixed(1)} µs per message of ${length.toFixed(0)} characters`,
  );
}

function printErrors(texts: readonly string[]): void {
  if (options.errors) for (const text of texts) console.log(`    ${text.slice(0, 300)}`);
}

function of(some: readonly string[], all: readonly string[]): string {
  return (
    `${some.length} of ${all.length}`.padStart(12) + ` ${((100 * some.length) / all.length).toFixed(1)} %`.padStart(8)
  );
}

function countWords(text: string): number {
  return text.split(/\s+/).filter(Boolean).length;
}

/** Returns the English texts of this project, except the evaluation halves. */
function readEnglish(): Kind[] {
  return readKinds('.').filter(({ name }) => !/^languages|evaluation\b(?!\/development)/.test(name));
}

/** Returns the texts of a folder, one kind per file. */
function readKinds(folder: string): Kind[] {
  const files = readdirSync(join(ownFolder, folder), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => /\.(txt|tsv)$/.test(file))
    .sort()
    .map((file) => {
      const lines = readFileSync(join(ownFolder, folder, file), 'utf8')
        .split('\n')
        .filter(Boolean);
      return { name: file.replace(/\.\w+$/, ''), texts: lines.map((line) => line.split('\t').at(-1) ?? '') };
    });
}
