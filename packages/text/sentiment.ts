import { textSentiment as settings } from '../../generated/spec.js';
import { createSeverityAnalyzer, type SeverityModel } from './severity.js';

/** Returns the estimated sentiment of a message, −1 to 1. Undefined for a message without a known word. */
export type EstimateSentiment = (text: string) => number | undefined;

/**
 * Returns a function that estimates sentiments. It keeps no text, and calls `model` for the first text. Each thread
 * requires only one.
 */
export function createSentimentEstimator(model: () => SeverityModel): EstimateSentiment {
  let analyze: ReturnType<typeof createSeverityAnalyzer> | undefined;
  return (text) => {
    analyze ??= createSeverityAnalyzer(model());
    const severity = analyze(text);
    return severity === undefined ? undefined : sentimentOf(severity);
  };
}

/** Converts log odds of severe distress to a sentiment. The points between are linear. */
export function sentimentOf(severity: number): number {
  const { neutral_log_odds, distress_log_odds, distress_sentiment, sentiment_max, sentiment_min } = settings;
  const share = (severity - neutral_log_odds) / (distress_log_odds - neutral_log_odds);
  const sentiment = Math.min(sentiment_max, Math.max(sentiment_min, share * distress_sentiment));
  return Math.round(sentiment * 100) / 100;
}
