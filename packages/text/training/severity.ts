import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageBits } from '../message-features.js';
import type { LinearWeights } from '../weights.js';
import type { ReadMessage } from './fit.js';
import { fitHead, type FitOptions, type WeighedText } from './fit-linear.js';
import { readRecords } from './sad.js';
import { isCalm, readVoices, type VoiceLine } from './voices.js';

/** A text with the severity of its writer's distress. */
export interface SeverityText {
  readonly text: string;
  /** Source of the text: `sad/<source>`, `counseling`, `comments`, `everyday/<kind>`, or `<folder>/<file>` of this project. */
  readonly kind: string;
  /** 0 (none) to 1 (most severe). */
  readonly severity: number;
  /** Mean rating of SAD's raters, 0–1. Undefined for other texts. */
  readonly rating?: number;
}

/**
 * Severity of texts that no rater has rated. Judgment, compared with a few other values on severity/development and on
 * the source Inquire of SAD, both left out of the training.
 */
const assignedSeverity = {
  counseling: 0.8,
  concern: 0.4,
  calm: 0,
  mild: 0.3,
  distress: 0.85,
  danger: 0.95,
};
/** Severity of the texts of safety/development that do not alarm. Other kinds of look-alikes have 0. */
const safetyLookAlikes: Readonly<Record<string, number>> = {
  distress: assignedSeverity.distress,
  'past-and-resolved': 0.15,
  'third-person': 0.1,
};
/**
 * Means of five raters are close to the mean of all sentences. Multiplies the distance, so that the model learns the
 * differences between stressors. Without the source Inquire: AUC 0.71 with 1, 0.73 with 1.6, 0.74 with 2.2 and 3.
 */
const RATING_SPREAD = 2.5;
const RATING_MEAN = 0.42;
const fitOptions: FitOptions = {
  classTotal: 2,
  // Forms, then words and runs. Best of 0.5 and 1 for the forms, and of pulls 0.5 and 1, without the source Inquire of SAD.
  families: [
    { bits: messageBits, scale: 0.5 },
    { bits: messageBits, scale: 1 },
  ],
  pull: 1,
  stepsMax: 60,
};
/** Maximum number of progress reports per training. */
export const { stepsMax } = fitOptions;
/** Weight of a text with a label of severity, relative to other texts, because these texts are few. */
const LABELED_WEIGHT = 10;
/**
 * Weights of the texts that are more. Chosen on texts of other authors and on texts left out: with 10 for `people`, more is
 * found, and three times as many neutral texts are severe.
 */
const weights: Readonly<Record<string, number>> = {
  'severity/people/calm': 6,
  'severity/people/distress': 1.5,
  'severity/plain/calm': 6,
  'severity/plain/distress': 6,
};
/** Weight of a window of a calm text, so that a sentence without its context is not severe. */
const WINDOW_WEIGHT = 0.5;
const ownFolder = fileURLToPath(new URL('texts', import.meta.url));

/**
 * Reads the training texts: the data files of a folder and the texts of this project, without those for the evaluation.
 * Throws an error with the file name if a file is missing or invalid.
 */
export function readSeverityTexts(folder: string): SeverityText[] {
  const { counseling, concern, danger } = assignedSeverity;
  const own = (side: string, severity: number) => readOwnTexts(side).map((it) => ({ ...it, severity }));
  return [
    ...readRated(folder),
    ...readRecords(join(folder, 'concerns_dev.csv'), ['text']).map(({ text = '' }) => ({
      ...{ text, kind: 'counseling', severity: counseling },
    })),
    ...readRecords(join(folder, 'everyday_dev.csv'), ['text', 'kind']).map(({ text = '', kind }) => ({
      ...{ text, kind: `everyday/${kind}`, severity: 0 },
    })),
    ...readRecords(join(folder, 'goemotions_dev.csv'), ['text']).map(({ text = '' }) => ({
      ...{ text, kind: 'comments', severity: 0 },
    })),
    ...['everyday', 'glad', 'neutral', 'others'].flatMap((side) => own(side, 0)),
    ...['concerns', 'labeled'].flatMap((side) => own(side, concern)),
    ...own('safety/development', danger),
    ...readOwnTexts('safety/development/none').map((it) => ({
      ...{ ...it, severity: safetyLookAlikes[basename(it.kind).replace(/-\d$/, '')] ?? 0 },
    })),
    ...readVoices('train').flatMap((it) => fromVoice(it)),
    ...(['training', 'development', 'plain', 'people'] as const).flatMap(readLabeled),
  ];
}

/** A danger is severe, and a look-alike that tells of no distress is calm. The other look-alikes have no label. */
function fromVoice(it: VoiceLine): SeverityText[] {
  if (it.danger === 'none' && !isCalm(it)) return [];
  const severity = it.danger === 'none' ? assignedSeverity.calm : assignedSeverity.danger;
  return [{ text: it.text, kind: `briefs/${it.voice}`, severity }];
}

export type LabeledPart =
  | 'training'
  | 'development'
  | 'plain'
  | 'people'
  | 'evaluation'
  | 'held-out'
  | 'people-choice'
  | 'people-final';

/** Reads the texts of this project that have a label of severity. Those from `evaluation` on are never used for training. */
export function readLabeled(part: LabeledPart): SeverityText[] {
  return readOwnTexts(`severity/${part}`).map((it) => ({
    ...{ ...it, severity: assignedSeverity[basename(it.kind) as 'calm' | 'mild' | 'distress'] },
  }));
}

function readRated(folder: string): SeverityText[] {
  const columns = ['sentence', 'avg_severity', 'source'];
  return readRecords(join(folder, 'sad_dev.csv'), columns).map(({ sentence = '', avg_severity, source }) => ({
    ...{ text: sentence, kind: `sad/${source}`, rating: Number(avg_severity) / 10 },
    severity: spreadRating(Number(avg_severity) / 10),
  }));
}

function spreadRating(rating: number): number {
  return Math.min(1, Math.max(0, RATING_MEAN + RATING_SPREAD * (rating - RATING_MEAN)));
}

/** Returns the texts of a folder of this project, one per line. In a TSV file, the text is the last column. */
export function readOwnTexts(side: string): Array<Pick<SeverityText, 'text' | 'kind'>> {
  const folder = join(ownFolder, side);
  const files = readdirSync(folder).filter((name) => /\.(txt|tsv)$/.test(name));
  return files.sort().flatMap((file) => {
    const lines = readFileSync(join(folder, file), 'utf8').split('\n').filter(Boolean);
    const kind = `${side}/${basename(file, extname(file))}`;
    return lines.map((line) => ({ text: (line.split('\t').at(-1) ?? '').replaceAll('\\n', '\n'), kind }));
  });
}

/** Trains the model. The same texts give the same weights. */
export function fitSeverity(
  texts: readonly SeverityText[],
  readMessage: ReadMessage,
  onStep: () => void = () => {},
): LinearWeights {
  // A severity between 0 and 1 is a text of both classes, with shares of its weight.
  const weighed = texts.map(({ text, kind, severity }): WeighedText => {
    const weight = weights[kind] ?? (kind.startsWith('severity/') ? LABELED_WEIGHT : 1);
    const shares = [1 - severity, severity].map((share, target) => [target, share * weight] as const);
    return { text, classes: shares, ...(severity === 0 && { windowWeight: WINDOW_WEIGHT }) };
  });
  return fitHead(weighed, fitOptions, readMessage, onStep);
}
