import { textSentiment as settings } from './settings.js';
import { type LinearModel, scoreLinear, toLinearModel } from './linear.js';
import { createSentenceFeatures, fingerprintFeatures, messageBits } from './message-features.js';
import { createTokenizer } from './tokens.js';
import { computeFingerprint, decodeWeights } from './weights.js';

/**
 * Returns a function that builds the model of severity at its first call and then returns the same model. Throws if the
 * bytes are weights of other features.
 */
export const openSeverityModel = (bytes: Uint8Array): (() => LinearModel) => openHead(bytes, 1, 'severity');

/** Opens the weights of a head of a message. The file has the format of the topic weights, without a model of areas. */
export function openHead(bytes: Uint8Array, classes: number, name: keyof typeof messageBits): () => LinearModel {
  if (computeFingerprint(bytes) !== fingerprintFeatures())
    throw new Error(`${name} weights were trained with other features: run train`);
  let model: LinearModel | undefined;
  return () => (model ??= toLinearModel(decodeWeights(bytes).concern, classes, messageBits[name], name));
}

/**
 * Returns a function that estimates how severe the distress of a message is, as log odds: below 0 for most messages.
 * Undefined for a message without a known word. Keeps no text beyond the call. Each thread requires only one.
 */
export function createSeverityAnalyzer(model: LinearModel): (text: string) => number | undefined {
  const tokenizer = createTokenizer();
  const listFeatures = createSentenceFeatures();
  return (text) => {
    const { scores, isKnown } = scoreLinear(model, listFeatures(tokenizer.read(text)));
    tokenizer.wipe();
    return isKnown ? scores[0] : undefined;
  };
}

/** Returns the estimated sentiment of a message, −1 to 0. Undefined for a message without a known word. */
export type EstimateSentiment = (text: string) => number | undefined;

/**
 * Returns a function that estimates sentiments. It keeps no text, and calls `model` for the first text. Each thread
 * requires only one.
 */
export function createSentimentEstimator(model: () => LinearModel): EstimateSentiment {
  let analyze: ReturnType<typeof createSeverityAnalyzer> | undefined;
  return (text) => {
    analyze ??= createSeverityAnalyzer(model());
    const severity = analyze(text);
    return severity === undefined ? undefined : toSentiment(severity);
  };
}

/** Converts log odds of severe distress to a sentiment, 0 (neutral) to `sentiment_min`. */
export function toSentiment(severity: number): number {
  const { neutral_log_odds, distress_log_odds, distress_sentiment, severe_log_odds, sentiment_min } = settings;
  const share = Math.max(0, (severity - neutral_log_odds) / (distress_log_odds - neutral_log_odds));
  const rest = Math.exp(Math.min(0, distress_log_odds - severity) / severe_log_odds);
  const sentiment =
    share < 1 ? share * distress_sentiment : sentiment_min + rest * (distress_sentiment - sentiment_min);
  // Adds 0, because a rounded small negative number is -0.
  return Math.round(sentiment * 100) / 100 + 0;
}
