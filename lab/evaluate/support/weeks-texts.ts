import type { TurnAnalysis } from '../../../packages/text/texts.js';
import { isJudged } from '../../../packages/text/training/sad.js';
import { readTopicTexts } from '../../../packages/text/training/texts.js';
import type { Area } from '../../../packages/text/vocabulary.js';
import { answer } from '../../../packages/tools/evaluate/protocol/weeks.js';
import { findFold, released, sadGroups, trainWithoutFold, unseenKind } from '../text/left-out.js';

/** A message of a kind of author that no model was fitted on, as the service analyzes it. */
export interface Message {
  /** Area of a concern by its raters. Undefined for small talk. */
  readonly area: Area | undefined;
  readonly analysis: TurnAnalysis;
  /** The sentiment that the service derives. Undefined without a known word. */
  readonly sentiment: number | undefined;
}

const judged = new Map<number, Message[]>();

/** Returns the stressor sentences of the group of authors of a seed, and small talk, judged by models without either. */
export function judgeMessages(data: string, models: string | undefined, seed: number): Message[] {
  const group = seed % sadGroups.length;
  const messages = judged.get(group) ?? judgeGroup(data, models, group);
  judged.set(group, messages);
  return messages;
}

function judgeGroup(data: string, models: string | undefined, group: number): Message[] {
  const analyzer = trainWithoutFold(data, models, group);
  const { sad, labeled } = readTopicTexts(data);
  const concerns = sad.filter((it) => isJudged(it) && findFold(`sad/${it.source}`, it.sentence) === group);
  const texts = [
    ...concerns.map(({ sentence, top }) => ({ text: sentence, area: top === 'none' ? undefined : top })),
    ...labeled.flatMap(({ text, kind }) => (`everyday/${kind}` === unseenKind ? [{ text, area: undefined }] : [])),
  ];
  const { analyze } = released();
  return texts.flatMap(({ text, area }) => {
    const { isForeign, danger } = analyze(text).check;
    if (isForeign || danger !== undefined) return [];
    const { sentiment } = analyzer.analyze(text);
    return [{ area, analysis: analyzer.analyzeTurn({ user_message: text, ai_response: answer }), sentiment }];
  });
}
