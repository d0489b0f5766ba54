import { createTopicAnalyzer, type TopicAnalyzer, type Turn, type TurnAnalysis } from './analyzer.js';
import { openTopicModel } from './model.js';
import { createCheckMessage, type MessageCheck } from './check-message.js';
import { createSentimentEstimator } from './sentiment.js';
import { openSeverityModel } from './severity.js';

/** Analyzes texts. Each model is built for the first text that needs it. */
export interface Texts {
  checkMessage(message: string): MessageCheck;
  /** Returns the estimated sentiment, −1 to 1. Undefined for a message without a known word. */
  estimateSentiment(message: string): number | undefined;
  analyzeTurn(turn: Turn): TurnAnalysis;
  /** Functions that build the models, so that the first text does not wait 0.3 s for them. */
  readonly loads: ReadonlyArray<() => void>;
}

/** `topics` and `severity` are the bytes of the weights. Throws if the topics were trained with another lexicon. */
export function createTexts({ topics, severity }: { topics: Uint8Array; severity: Uint8Array }): Texts {
  const topicModel = openTopicModel(topics);
  const checkMessage = createCheckMessage();
  const estimateSentiment = createSentimentEstimator(openSeverityModel(severity));
  let analyzer: TopicAnalyzer | undefined;
  const analyzeTurn = (turn: Turn) => (analyzer ??= createTopicAnalyzer(topicModel())).analyzeTurn(turn);
  const sample = 'I have an exam tomorrow.';
  return {
    checkMessage,
    estimateSentiment,
    analyzeTurn,
    loads: [
      () => void topicModel(),
      () => void analyzeTurn({ user_message: sample, ai_response: sample }),
      () => void checkMessage(sample),
      () => void estimateSentiment(sample),
    ],
  };
}
