import { extractTopics, loadTopicModel, type TopicModel } from '../../src/domain/topics/extract.js';
import { bestShares, readText } from '../../src/domain/topics/reading.js';
import { areaOfTopic, areas, type Area } from '../../src/domain/topics/vocabulary.js';
import { seededRandom } from '../terminal/scenes.js';
import { fitTopicModel } from './fit.js';
import type { SadRow } from './sad.js';

/** What a model that never saw the row says about it. */
export interface Judgement {
  readonly row: SadRow;
  /** Likeliest area without refusal; undefined for small talk. */
  readonly best: Area | undefined;
  /** Its share, 0–1: what refusal compares with its threshold. */
  readonly share: number;
  /** Areas of the topics that the service would answer, the first first. */
  readonly answered: readonly Area[];
}

/** Judges every row by the extractor trained on the other folds; stratified by label, the same for the same seed. */
export function crossValidate(rows: readonly SadRow[], folds: number, seed: number, onStep: () => void): Judgement[] {
  const foldOf = assignFolds(rows, folds, seed);
  return Array.from({ length: folds }, (_, fold) => {
    const training = rows.filter((_, i) => foldOf[i] !== fold);
    const bytes = fitTopicModel(training, onStep);
    const model = loadTopicModel(bytes);
    return rows.filter((_, i) => foldOf[i] === fold).map((row) => judge(model, row));
  }).flat();
}

/** What a model says about one row, as the first turn of a session. */
function judge(model: TopicModel, row: SadRow): Judgement {
  const shares = bestShares(readText(model, row.sentence));
  const share = Math.max(...shares);
  const { topics } = extractTopics(model, undefined, { user_message: row.sentence, ai_response: '' });
  const best = share > 0 ? areas[shares.indexOf(share)] : undefined;
  return { row, best, share, answered: topics.flatMap((topic) => areaOfTopic.get(topic) ?? []) };
}

/** Deals the rows of each kind to the folds in turn, after a seeded shuffle. */
function assignFolds(rows: readonly SadRow[], folds: number, seed: number): number[] {
  const random = seededRandom(seed);
  const order = rows.map((row, index) => ({
    index,
    key: `${row.top} ${row.isStressor} ${row.second === undefined}`,
    at: random(),
  }));
  order.sort((a, b) => (a.key === b.key ? a.at - b.at : a.key < b.key ? -1 : 1));
  const foldOf: number[] = [];
  order.forEach(({ index }, place) => (foldOf[index] = place % folds));
  return foldOf;
}
