import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readOwnTexts, readSeverityTexts } from '../../../packages/text/training/severity.js';
import { groupBy } from '../../../packages/tools/group-by.js';
import { released } from './left-out.js';
import { type Figures, shareLine, toFigures } from './lines.js';

const ownFolder = fileURLToPath(new URL('../../../packages/text/training/texts', import.meta.url));
/** Sets of dangers in other languages that no rule was derived from. */
const leftOutSets = ['third', 'fourth', 'fifth'] as const;
/** Words from which a text in Latin letters must be recognized. */
const foreignWordsMin = 5;

interface Text {
  readonly text: string;
}

interface ForeignText extends Text {
  readonly language: string;
  readonly kind: string;
}

/** Measures what is found in other languages, and how often English is mistaken for one. */
export function measureLanguages(data: string): Figures[] {
  const { analyze } = released();
  const isForeign = ({ text }: Text) => analyze(text).check.isForeign;
  const hasDanger = ({ text }: Text) => analyze(text).check.danger !== undefined;
  const sets = leftOutSets.map((set) => ({ set, texts: readSet(set) }));
  const all = sets.flatMap(({ texts }) => texts);
  const rows = [
    { name: 'short dangers', isOf: ({ kind }: ForeignText) => !['mixed', 'none'].includes(kind), goal: { min: 0.85 } },
    { name: 'mixed with English', isOf: ({ kind }: ForeignText) => kind === 'mixed', goal: { min: 0.8 } },
    { name: 'look-alikes', isOf: ({ kind }: ForeignText) => kind === 'none', goal: { max: 0.05 } },
  ];
  const line = (name: string, { isOf, goal }: (typeof rows)[0], texts: readonly ForeignText[]) =>
    shareLine(name, texts.filter(isOf), hasDanger, goal, 0);
  const byLanguage = groupBy(all, ({ language }) => language);
  const found = toFigures('dangers in nine languages, sets that no rule was derived from: found', [
    ...rows.map((row) => [
      line(`${row.name}, all sets`, row, all),
      ...sets.map(({ set, texts }) => line(`  set ${set}`, row, texts)),
      ...[...byLanguage].map(([language, texts]) => line(`  ${language}`, row, texts)),
    ]),
  ]);
  const pure = all.filter(({ kind }) => kind !== 'mixed');
  const texts = readSeverityTexts(data);
  const own = texts.filter(
    ({ kind }) => !/^(sad|counseling|comments|everyday\/(request|instruction|chat)$)/.test(kind),
  );
  const publicTexts = texts.filter((it) => !own.includes(it));
  const english = (name: string, of: readonly Text[]) =>
    shareLine(`English mistaken, ${name}`, of, isForeign, { max: 0.003 }, 2);
  const isShort = ({ text }: Text) => text.length < 25;
  const isUnknown = ({ text }: Text) => analyze(text).check.isUnknown ?? false;
  // The texts from which the lists of words were made.
  const long = readOwnTexts('languages').filter(
    ({ text }) => !/\p{Script=Latin}/u.test(text) || countWords(text) >= foreignWordsMin,
  );
  const recognized = toFigures('recognition of languages', [
    [
      english('data files', publicTexts),
      english('data files, below 25 characters', publicTexts.filter(isShort)),
      english('own texts', own),
      shareLine('English not understood, data files', publicTexts, isUnknown, {}, 2),
    ],
    [
      shareLine('not English: short messages of the sets', pure, isForeign),
      shareLine(`not English: 32 languages, by the author of the word lists`, long, isForeign),
      ...[...groupBy(readTable('languages-posts'), ({ language }) => language)].map(([language, posts]) =>
        shareLine(`not English: posts, ${language}`, posts, isForeign),
      ),
    ],
  ]);
  return [found, recognized];
}

/** Reads a set: a folder per language with a file per kind, or a table of language, kind and text. */
function readSet(set: string): ForeignText[] {
  const side = `languages-dangers/${set}`;
  if (set === 'third')
    return readdirSync(join(ownFolder, side)).flatMap((language) =>
      readOwnTexts(`${side}/${language}`).map(({ kind, text }) => ({ language, kind: basename(kind), text })),
    );
  return readTable(side);
}

/** Reads a table: language, kind if the table has kinds, and text. */
function readTable(side: string): ForeignText[] {
  const lines = readFileSync(join(ownFolder, `${side}.tsv`), 'utf8').split('\n');
  return lines.filter(Boolean).map((line) => {
    const [language = '', kind = '', text = kind] = line.split('\t');
    return { language, kind, text };
  });
}

const countWords = (text: string) => text.split(/\s+/).filter(Boolean).length;
