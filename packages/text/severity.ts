import { textSentiment as settings } from './settings.js';

/** Decimals of a sentiment, so that neutral messages keep their order. */
const DECIMALS = 4;

/** Converts log odds of severe distress to a sentiment, from 0 down to {@link strongestSentiment}. */
export function toSentiment(logOdds: number): number {
  const severity = Math.min(logOdds, settings.severest_log_odds);
  const { neutral_log_odds, neutral_sentiment, neutral_spread, distress_log_odds, distress_sentiment } = settings;
  const { severe_log_odds, sentiment_min } = settings;
  if (severity <= neutral_log_odds)
    return round(neutral_sentiment * Math.exp((severity - neutral_log_odds) / neutral_spread));
  if (severity >= distress_log_odds) {
    const rest = Math.exp((distress_log_odds - severity) / severe_log_odds);
    return round(sentiment_min + rest * (distress_sentiment - sentiment_min));
  }
  const share = (severity - neutral_log_odds) / (distress_log_odds - neutral_log_odds);
  return round(neutral_sentiment + share * (distress_sentiment - neutral_sentiment));
}

// Adds 0, because a rounded small negative number is -0.
const round = (value: number): number => Math.round(value * 10 ** DECIMALS) / 10 ** DECIMALS + 0;

/** The sentiment of the most severe words, and of a safety finding: other words have it too, so that it shows no finding. */
export const strongestSentiment = toSentiment(Infinity);
