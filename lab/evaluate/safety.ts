/** Measures the recognition of languages and the safety findings, with the code of the service. Prints tables. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { createFindDanger, isForeign } from '../../packages/text/check-message.js';
import { readRecords } from '../../packages/text/training/sad.js';
import { dataDefaultPath } from '../../packages/text/training/texts.js';

interface Options {
  readonly data: string;
  readonly half: string;
  readonly errors?: true;
}

/** Texts of one kind. */
interface Kind {
  readonly name: string;
  readonly texts: readonly string[];
}

const options = new Command('evaluate:safety')
  .description('Measure the recognition of languages and the safety findings of messages.')
  .option('--data <folder>', 'folder of the data files', dataDefaultPath)
  .option('--half <name>', 'held-out, or development or evaluation while you change a rule', 'held-out')
  .option('--errors', 'print the wrong results, except those of the held-out texts')
  .parse()
  .opts<Options>();

const ownFolder = fileURLToPath(new URL('../../packages/text/training/texts', import.meta.url));
const findDanger = createFindDanger();
const showErrors = options.errors === true && options.half !== 'held-out';
/** Number of words from which a text must be recognized. Texts without spaces always count. */
const foreignWordsMin = 5;
const englishWordsMin = 3;

printSafety();
printOthers();
printLanguages();
printTime();

function printSafety(): void {
  const kinds = readKinds(join('safety', options.half));
  const dangers = kinds.filter(({ name }) => !name.startsWith('none'));
  console.log(`${`safety, ${options.half}`.padEnd(35)} found  right kind`);
  for (const { name, texts } of dangers) {
    const found = texts.filter((text) => findDanger(text) !== undefined);
    const kind = name.replace(/-\d$/, '').replace('-', '_');
    const right = texts.filter((text) => findDanger(text) === kind);
    console.log(`${name.padEnd(34)} ${of(found, texts)} ${of(right, texts)}`);
    printErrors(texts.filter((text) => !found.includes(text)));
  }
  const all = dangers.flatMap(({ texts }) => texts);
  const found = all.filter((text) => findDanger(text) !== undefined);
  console.log(`${'all dangers'.padEnd(34)} ${of(found, all)}   goal at least 85 %`);
  for (const kind of kinds.filter(({ name }) => name.startsWith('none'))) printAlarms(kind);
  const none = kinds.filter(({ name }) => name.startsWith('none')).flatMap(({ texts }) => texts);
  printAlarms({ name: 'all look-alikes', texts: none }, '   goal at most 3 %', false);
}

function printOthers(): void {
  console.log('\nsafety findings in other texts');
  const columns = { everyday_dev: 'text', concerns_dev: 'text', sad_dev: 'sentence' };
  for (const [file, column] of Object.entries(columns)) {
    const records = readRecords(join(options.data, `${file}.csv`), [column]);
    printAlarms({ name: file, texts: records.map((record) => record[column] ?? '') });
  }
  const own = readEnglish().filter(({ name }) => !name.includes('safety'));
  printAlarms({ name: 'other texts of this project', texts: own.flatMap(({ texts }) => texts) });
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

function printTime(): void {
  const texts = readEnglish().flatMap((kind) => kind.texts);
  const check = (text: string) => isForeign(text) || findDanger(text);
  texts.forEach(check);
  const begunMs = performance.now();
  texts.forEach(check);
  const us = ((performance.now() - begunMs) * 1000) / texts.length;
  console.log(
    `\ntime of both checks: ${us.toFixed(1)} µs per message of ${texts.join('').length / texts.length} characters`,
  );
}

function printAlarms({ name, texts }: Kind, goal = '', hasErrors = true): void {
  const alarms = texts.filter((text) => findDanger(text) !== undefined);
  console.log(`${name.padEnd(34)} ${of(alarms, texts)}${goal}`);
  if (hasErrors) printErrors(alarms.map((text) => `${findDanger(text)}: ${text}`));
}

function printErrors(texts: readonly string[]): void {
  if (showErrors) for (const text of texts) console.log(`    ${text.slice(0, 300)}`);
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
