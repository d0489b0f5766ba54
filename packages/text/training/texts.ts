import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { areaOfTopic, areas, type Area, topicNames, type TopicName } from '../vocabulary.js';
import { isJudged, isWithoutArea, readRecords, readSad, type SadRow } from './sad.js';
import { isCalm, readVoices } from './voices.js';

/** A text with a label: whether the speaker describes a concern of their own. */
export interface LabeledText {
  readonly text: string;
  /** Source of the text: a kind in a data file, or the name of a file of this project. */
  readonly kind: string;
  readonly isConcern: boolean;
  /** Area of the concern. Undefined if there is no label. */
  readonly area: Area | undefined;
  /** Forum topic of a question to a counselor. */
  readonly label?: string;
  readonly sad?: SadRow;
}

/** All texts for training and evaluation. */
export interface TopicTexts {
  readonly sad: readonly SadRow[];
  readonly labeled: readonly LabeledText[];
}

export const dataDefaultPath = '../shared/data';
/** The weights of all models of the service. */
export const weightsFile = fileURLToPath(new URL('../weights/text.bin', import.meta.url));
/** Folder with the texts of this project: one file per kind, one text per line. */
const ownFolder = fileURLToPath(new URL('texts', import.meta.url));
/** Folders of texts for the gate. The value tells if the speakers describe a concern of their own. */
const gateFolders = { everyday: false, glad: false, neutral: false, others: false, concerns: true } as const;
/** Folders of texts that are never used for training. */
const heldBackFolders = { 'held-back/everyday': false, 'held-back/concerns': true } as const;
/** Name prefix of the kinds that are never used for training. */
export const heldBackPrefix = 'held-back/';
/** Name prefix of the kinds of this project: `own/<folder>/<file>`. */
const ownPrefix = 'own/';

/**
 * Reads the data files of a folder and the texts of this project. Throws an error with the file name if a file is
 * missing or invalid.
 */
export function readTopicTexts(folder: string): TopicTexts {
  const sad = readSad(join(folder, 'sad_dev.csv'));
  const own = Object.entries({ ...gateFolders, ...heldBackFolders }).flatMap(([name, isConcern]) =>
    readFolder(name, (text) => ({ text, isConcern, area: undefined })),
  );
  return {
    sad,
    labeled: [
      ...sad.flatMap(fromSad),
      ...readConcerns(folder),
      ...readCalm(folder),
      ...own,
      ...readLabeled(),
      ...readCalmVoices(),
    ],
  };
}

/** Returns the part of the texts that a kind belongs to: its folder in this project, or the kind of a data file. */
export function toGroup(kind: string): string {
  if (kind.startsWith(heldBackPrefix)) return heldBackPrefix.slice(0, -1);
  return kind.startsWith(ownPrefix) ? kind.slice(0, kind.lastIndexOf('/')) : kind;
}

/** A text for the evaluation, and the topics that are acceptable as its first topic. Empty if it must have no topic. */
export interface TopicLine {
  readonly text: string;
  readonly kind: string;
  readonly topics: readonly TopicName[];
}

/** Halves of the texts for the evaluation. The half `held-out` is not for development. */
export const halves = ['held-out', 'development'] as const;
export type Half = (typeof halves)[number];

export const readTopicLines = (half: Half): TopicLine[] =>
  readFolder(`evaluation/${half}`, (line) => {
    const [topics = [], text] = cutLine(line);
    return { text: text.replaceAll('\\n', '\n'), topics };
  }).map((it) => ({ ...it, kind: basename(it.kind) }));

/** Reads the concerns of this project with their topics. */
const readLabeled = (): LabeledText[] =>
  readFolder('labeled', (line) => {
    const [[topic], text] = cutLine(line);
    return { text, isConcern: true, area: topic && areaOfTopic.get(topic) };
  });

/** Reads the lines of the voices without distress: they describe no concern. */
const readCalmVoices = (): LabeledText[] =>
  readVoices('train')
    .filter((it) => it.danger === 'none' && isCalm(it))
    .map(({ text, voice }) => ({ text, kind: `${ownPrefix}briefs/${voice}`, isConcern: false, area: undefined }));

/** Returns the expected topics and the text of a line. Throws an error if a topic is unknown. */
function cutLine(line: string): [TopicName[], string] {
  const [expected = '', text = ''] = line.split('\t');
  const names = expected === 'none' ? [] : expected.split(',');
  const topics = names.flatMap((name) => topicNames.find((it) => it === name) ?? []);
  if (text === '' || topics.length < names.length) throw new Error(`invalid line: ${line}`);
  return [topics, text];
}

/** Returns the lines of all files in a folder of this project. A folder that is missing has no lines. */
function readFolder<T extends object>(name: string, toText: (line: string) => T): Array<T & { readonly kind: string }> {
  const folder = join(ownFolder, name);
  const prefix = name.startsWith(heldBackPrefix) ? '' : ownPrefix;
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .flatMap((file) => {
      const kind = `${prefix}${name}/${basename(file, extname(file))}`;
      const lines = readFileSync(join(folder, file), 'utf8').split('\n').filter(Boolean);
      return lines.map((line) => ({ ...toText(line), kind }));
    });
}

/**
 * Returns a row as training text for the gate. Skips rows that are neither a clear stressor nor clearly without an
 * area.
 */
function fromSad(row: SadRow): LabeledText[] {
  if (isWithoutArea(row))
    return [{ text: row.sentence, kind: 'sad without area', isConcern: false, area: undefined, sad: row }];
  if (!isJudged(row) || row.top === 'none') return [];
  return [{ text: row.sentence, kind: 'sad', isConcern: true, area: row.top, sad: row }];
}

const readConcerns = (folder: string): LabeledText[] =>
  readRecords(join(folder, 'concerns_dev.csv'), ['text', 'label', 'area']).map(({ text = '', label = '', area }) => ({
    ...{ text, label, kind: 'counseling', isConcern: true },
    area: areas.find((it) => it === area),
  }));

/** Files of texts without a concern: requests and chat, and comments of people about their own lives. */
const calmFiles = ['everyday_dev.csv', 'goemotions_dev.csv'];

const readCalm = (folder: string): LabeledText[] =>
  calmFiles
    .flatMap((file) => readRecords(join(folder, file), ['text', 'kind']))
    .map(({ text = '', kind = '' }) => ({ ...{ text, kind, isConcern: false }, area: undefined }));
