import { stressModel as model } from '../../generated/spec.js';
import type { Usual } from './baseline.js';
import type { SignalName, SignalValues } from './signals.js';

/** Evidence for stress in log-odds of one fresh signal; 0 speaks neither way, positive speaks for stress. */
export const evidenceOf: { readonly [N in SignalName]: (value: NonNullable<SignalValues[N]>, usual: Usual) => number } =
  {
    heart_rate: (bpm, usual) =>
      saturate(model.heart_rate.log_odds_per_bpm * (bpm - usual.heart_rate.value), model.heart_rate.log_odds_max),
    sdnn: (ms, usual) =>
      saturate(model.sdnn.log_odds_per_ln * (usual.sdnn.value - Math.log(ms)), model.sdnn.log_odds_max),
    tone: (tone) => labelLogOdds(model.tone_points[tone], model.reliability.tone),
    expression: (expression) => labelLogOdds(model.expression_points[expression], model.reliability.expression),
    sentiment: (sentiment) => -model.label_log_odds * model.reliability.sentiment * sentiment,
  };

/** Weight of a signal by its age in ms: 1 when fresh, halved every half-life, 0 once stale; strictly falling until then. */
export function ageWeight(ageMs: number): number {
  const seconds = Math.max(0, ageMs / 1000);
  return seconds >= model.age.stale_after_seconds ? 0 : 2 ** (-seconds / model.age.half_life_seconds);
}

/** The identity near 0, never beyond ±max: one signal, however extreme, is one piece of evidence. */
function saturate(logOdds: number, max: number): number {
  return max * Math.tanh(logOdds / max);
}

/** A label's word rating (Warriner et al. 2013) relative to "neutral", scaled so that the harshest word is worth its reliability. */
function labelLogOdds(points: number, reliability: number): number {
  return (model.label_log_odds * reliability * (points - model.label_neutral_points)) / model.label_span_points;
}
