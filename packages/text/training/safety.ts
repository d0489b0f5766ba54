import { basename, dirname } from 'node:path';
import { familyBits } from '../message-features.js';
import { dangerKinds, findExplicit, type SafetyKind } from '../safety.js';
import type { LinearWeights } from '../weights.js';
import type { ReadMessage } from './fit.js';
import { fitHead, type FitOptions, type WeighedText } from './fit-linear.js';
import { readOwnTexts, readSeverityTexts } from './severity.js';
import { readVoices } from './voices.js';

/** A text with the danger that it describes. */
export interface SafetyText {
  readonly text: string;
  /** `briefs/<voice>`, `voices/<voice>`, `development`, or the source of an everyday text: see {@link readSeverityTexts}. */
  readonly source: string;
  readonly danger: SafetyKind | 'none';
}

/**
 * Voices for training, by author. The voices of `held-out-voices` are never used for training. The texts of violence of
 * the first four voices are threats by the writer: `threats.txt`.
 */
export const voicesByAuthor = [
  ['teenager', 'non-native'],
  ['nurse', 'old-man'],
  ['forum-poster', 'long-poster', 'one-liner', 'prompter', 'widower', 'unpunctuated'],
  ['plain-adult', 'night-texter'],
] as const;
export const voices = voicesByAuthor.flat();

const classes = ['none', ...dangerKinds] as const;
/**
 * Weights of the sources. Texts with a label count more, because they are few. Best of a few values when one author is
 * left out.
 */
const sourceWeights = {
  briefs: 3,
  voices: 3,
  explicit: 3,
  development: 1.5,
  everyday: 0.6,
  sad: 0.5,
  comments: 0.5,
} as const;
/** Sources of texts with a label. */
const labeledSources: readonly string[] = ['briefs', 'voices', 'explicit', 'development'];
/** Weight of a window of an everyday text, relative to the text. */
const WINDOW_WEIGHT = 0.3;
const fitOptions: FitOptions = {
  classTotal: classes.length,
  families: familyBits.map((bits) => ({ bits, scale: 1 })),
  // Better than 1 when one author is left out.
  pull: 0.4,
  stepsMax: 30,
};
/** Maximum number of progress reports per training. */
export const { stepsMax } = fitOptions;

/**
 * Reads the training texts: those with a label, and everyday texts and concerns without a danger. Leaves out questions to
 * a counselor, some of which describe a danger, and other texts that state a danger explicitly. Also those of `severity/people`
 * and `severity/plain`: with them, fewer of the final voices were found.
 */
export function readSafetyTexts(folder: string): SafetyText[] {
  const others = readSeverityTexts(folder).filter(({ kind, text }) => {
    return !/^(safety|counseling|briefs|severity\/(people|plain))/.test(kind) && findExplicit(text) === undefined;
  });
  return [
    ...readLabeled('safety/development', 'development'),
    ...voices.flatMap((voice) => readLabeled(`safety/voices/${voice}`, `voices/${voice}`)),
    ...readExplicit('choice'),
    ...readVoices('train').map(({ text, voice, danger }) => ({ text, source: `briefs/${voice}`, danger })),
    ...others.map(({ text, kind }) => ({ text, source: kind, danger: 'none' as const })),
  ];
}

/** Reads the labeled texts of a folder, except those in which the writer threatens somebody else. */
export function readLabeled(folder: string, source: string): SafetyText[] {
  return [...readOwnTexts(folder), ...readOwnTexts(`${folder}/none`)].flatMap(({ text, kind }) => {
    const danger = toDanger(kind);
    return danger === undefined ? [] : [{ text, source, danger }];
  });
}

/**
 * The explicit statements, in two halves: the patterns were chosen on the half `choice`, which is also in the training.
 */
export function readExplicit(half: 'choice' | 'held-out'): SafetyText[] {
  const texts = readOwnTexts('safety/explicit').filter((_, i) => (i % 2 === 0) === (half === 'choice'));
  return texts.map(({ text, kind }) => ({ text, source: `explicit/${half}`, danger: toDanger(kind) ?? 'none' }));
}

/** Returns the danger of a kind, e.g. `safety/development/self-harm-2`. Undefined for threats by the writer. */
export function toDanger(kind: string): SafetyText['danger'] | undefined {
  if (basename(dirname(kind)) === 'none') return 'none';
  const name = basename(kind).replace(/-\d$/, '').replace('-', '_');
  return dangerKinds.find((it) => it === name);
}

/** Trains the model. The same texts give the same weights. */
export function fitSafety(
  texts: readonly SafetyText[],
  readMessage: ReadMessage,
  onStep: () => void = () => {},
): LinearWeights {
  const weighed = texts.map(({ text, source, danger }): WeighedText => {
    const group = source.split('/')[0] as keyof typeof sourceWeights;
    const weight = sourceWeights[group] ?? 1;
    // A sentence of a look-alike may state a danger that its context denies.
    const hasWindows = !labeledSources.includes(group);
    return {
      ...{ text, classes: [[classes.indexOf(danger), weight]] },
      ...(hasWindows && { windowWeight: WINDOW_WEIGHT * weight }),
    };
  });
  return fitHead(weighed, fitOptions, readMessage, onStep);
}
