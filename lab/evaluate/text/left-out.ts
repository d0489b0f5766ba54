import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadTextModel } from '../../../packages/text/model.js';
import { createTextAnalyzer } from '../../../packages/text/texts.js';
import { createReadMessage, encodeModels, fitTopics } from '../../../packages/text/training/fit.js';
import { fitSafety, readSafetyTexts, voicesByAuthor } from '../../../packages/text/training/safety.js';
import { fitSeverity, readSeverityTexts } from '../../../packages/text/training/severity.js';
import { mapWithProgress } from '../../../packages/tools/terminal/progress.js';
import { heldBackPrefix, readTopicTexts, weightsFile } from '../../../packages/text/training/texts.js';

export type Analyzer = ReturnType<typeof createTextAnalyzer>;

/** Sources of SAD that are left out together: those of one kind of author. */
export const sadGroups = [
  ['mTurk_synthetic_covid', 'mTurk_synthetic_covid_2'],
  ['mTurk_synthetic', 'popbots_live'],
  ['Inquire', 'InquireComposited'],
];
/** The kind that is left out of every training. Own texts of similar kinds, e.g. sports chat, stay in the training. */
export const unseenKind = 'everyday/chat';
/** A training per author of dangers. */
export const foldTotal = voicesByAuthor.length;

/** What the figures are about. */
export const howLeftOut = `The judged texts are left out of the training: chat as a whole kind, SAD by source, dangers and their look-alikes by
author, all other texts by text. Intervals are of 95 %, by text.`;

/**
 * Returns the training that leaves a text out. `every` leaves it out of all, undefined of none: the texts that are only for
 * training.
 */
export function findFold(source: string, text: string): number | 'every' | undefined {
  const [folder = '', name = ''] = source.split('/');
  if (source === unseenKind) return 'every';
  if (folder === 'sad') return sadGroups.findIndex((group) => group.includes(name)) % foldTotal;
  if (folder === 'voices') return voicesByAuthor.findIndex((own) => (own as readonly string[]).includes(name));
  const isByText = folder === 'severity' && ['people', 'plain'].includes(name);
  if (/^(development|explicit|safety|severity|briefs)$/.test(folder) && !isByText) return undefined;
  let digest = 7;
  for (const letter of text) digest = Math.imul(digest ^ (letter.codePointAt(0) ?? 0), 0x9e3779b1) ^ (digest >>> 15);
  return (digest >>> 0) % foldTotal;
}

/** Judges texts with models that were not trained on them. */
export interface LeftOut {
  /** The models of the training that leaves out each fold. */
  readonly analyzers: readonly Analyzer[];
  /** Returns the model that was not trained on a text. */
  readonly find: (source: string, text: string) => Analyzer;
  /** Returns true if there is such a model. */
  readonly has: (source: string, text: string) => boolean;
}

/** For parts that judge only the released model. */
export const noFolds: LeftOut = {
  analyzers: [],
  has: () => false,
  find: (source) => {
    throw new Error(`no model was trained without ${source}`);
  },
};

export const released = (): Analyzer => createTextAnalyzer(loadTextModel(readFileSync(weightsFile)));

/**
 * Trains all models of the service once per fold, of the first `total` folds, without the texts of the fold. Keeps them in
 * `models` if it is set, and loads those that are already there for the same texts. Shows the progress.
 */
export async function trainWithoutFolds(data: string, models: string | undefined, total: number): Promise<LeftOut> {
  const folds = Array.from({ length: total }, (_, fold) => fold);
  const title = 'trainings without a part of the texts';
  const analyzers = await mapWithProgress(folds, title, (fold) => trainWithoutFold(data, models, fold));
  const find = (source: string, text: string) => {
    const fold = findFold(source, text);
    const analyzer = fold === undefined ? undefined : analyzers[fold === 'every' ? text.length % total : fold];
    if (!analyzer) throw new Error(`${source} is in every training`);
    return analyzer;
  };
  const has = (source: string, text: string) => {
    const fold = findFold(source, text);
    return fold === 'every' || (fold !== undefined && fold < total);
  };
  return { analyzers, find, has };
}

/** Trains all models without the texts of a fold, or loads them from `models`. */
export function trainWithoutFold(data: string, models: string | undefined, fold: number): Analyzer {
  const texts = readWithout(data, fold);
  const digest = createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 16);
  const file = models && join(models, `${digest}.bin`);
  const bytes = file && existsSync(file) ? readFileSync(file) : train(texts);
  if (file && models) {
    mkdirSync(models, { recursive: true });
    writeFileSync(file, bytes);
  }
  return createTextAnalyzer(loadTextModel(bytes));
}

/** Returns all texts of the training, without those of a fold. */
export function readWithout(data: string, fold: number) {
  const isTrained = (source: string, text: string) => ![fold, 'every'].includes(findFold(source, text) ?? '');
  const { sad, labeled } = readTopicTexts(data);
  return {
    sad: sad.filter(({ source, sentence }) => isTrained(`sad/${source}`, sentence)),
    labeled: labeled.filter((it) => !it.kind.startsWith(heldBackPrefix) && isTrained(toSource(it), it.text)),
    severity: readSeverityTexts(data).filter(({ kind, text }) => isTrained(kind, text)),
    safety: readSafetyTexts(data).filter(({ source, text }) => isTrained(source, text)),
  };
}

/** Trains as `train.ts` does. */
function train({ sad, labeled, severity, safety }: ReturnType<typeof readWithout>): Uint8Array {
  const topics = fitTopics(sad, labeled);
  const readMessage = createReadMessage(topics.vocabulary);
  return encodeModels({
    ...topics,
    severity: fitSeverity(severity, readMessage),
    safety: fitSafety(safety, readMessage),
  });
}

/** Returns the name that the other trainings have for the source of a text of topics. */
export function toSource({ kind, sad }: { readonly kind: string; readonly sad?: { readonly source: string } }): string {
  if (sad) return `sad/${sad.source}`;
  return ['request', 'instruction', 'chat'].includes(kind) ? `everyday/${kind}` : kind.replace(/^own\//, '');
}
