import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { areas, type Area } from '../../src/domain/topics/vocabulary.js';
import { isJudged, isWithoutArea, readRecords, readSad, type SadRow } from './sad.js';

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
/** Folder with the texts of this project: one file per kind, one text per line. */
const ownFolder = fileURLToPath(new URL('texts', import.meta.url));
/** Name prefix of the kinds that are never used for training. */
export const heldBackPrefix = 'held-back/';

/**
 * Reads the data files of a folder and the texts of this project. Throws an error with the file name if a file is
 * missing or invalid.
 */
export function readTopicTexts(folder: string): TopicTexts {
  const sad = readSad(join(folder, 'sad_dev.csv'));
  const own = [
    ...readOwn('everyday', false),
    ...readOwn('concerns', true),
    ...readOwn('held-back/everyday', false),
    ...readOwn('held-back/concerns', true),
  ];
  return { sad, labeled: [...sad.flatMap(fromSad), ...readConcerns(folder), ...readEveryday(folder), ...own] };
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

const readEveryday = (folder: string): LabeledText[] =>
  readRecords(join(folder, 'everyday_dev.csv'), ['text', 'kind']).map(({ text = '', kind = '' }) => ({
    ...{ text, kind, isConcern: false },
    area: undefined,
  }));

function readOwn(side: string, isConcern: boolean): LabeledText[] {
  const folder = join(ownFolder, side);
  const prefix = side.startsWith(heldBackPrefix) ? heldBackPrefix : 'own/';
  return readdirSync(folder)
    .sort()
    .flatMap((file) => {
      const lines = readFileSync(join(folder, file), 'utf8').split('\n').filter(Boolean);
      const kind = `${prefix}${basename(file, '.txt')}`;
      return lines.map((text) => ({ text, kind, isConcern, area: undefined }));
    });
}
