import { stressModel as model } from '../../generated/spec.js';
import type { SignalCategory } from '../contract.js';
import type { Usual } from './baseline.js';
import { ageWeight, evidenceOf } from './evidence.js';
import { categoryOf, type SignalName, type Signals, signalNames } from './signals.js';

/** What the signals of a session say at one instant. */
export interface Assessment {
  /** Fused stress, 0..100, unrounded. */
  readonly value: number;
  /** How much is known, 0..1, two decimals; 0 without a fresh signal. */
  readonly confidence: number;
  /** Categories with a signal that is not stale. */
  readonly categories: readonly SignalCategory[];
  /** Every signal that is not stale, strongest evidence first. */
  readonly drivers: readonly Driver[];
}

/** One signal's part in a score. */
export interface Driver {
  readonly signal: SignalName;
  /** Evidence for stress after ageing, in log-odds; negative speaks for calm. */
  readonly logOdds: number;
  /** 0..1, by age. */
  readonly weight: number;
}

/**
 * Fuses the newest signals into one stress value: a neutral start plus the sum of their log-odds, each weighted by
 * its age, through the logistic function. Monotone in every signal. Without a fresh signal: the neutral value.
 */
export function fuseEvidence(signals: Signals, atMs: number, usual: Usual): Assessment {
  const drivers = signalNames.flatMap((signal) => driverOf(signal, signals, atMs, usual));
  const logOdds = drivers.reduce<number>((sum, driver) => sum + driver.logOdds, model.neutral_log_odds);
  return {
    value: model.score_max / (1 + Math.exp(-logOdds)),
    confidence: confidenceOf(drivers, usual),
    categories: [...new Set(drivers.map(({ signal }) => categoryOf[signal]))],
    drivers: drivers.sort((a, b) => Math.abs(b.logOdds) - Math.abs(a.logOdds)),
  };
}

function driverOf<N extends SignalName>(signal: N, signals: Signals, atMs: number, usual: Usual): Driver[] {
  const sample = signals[signal];
  const weight = sample ? ageWeight(atMs - sample.atMs) : 0;
  if (!sample || weight === 0) return [];
  return [{ signal, weight, logOdds: weight * evidenceOf[signal](sample.value, usual) }];
}

/** Independent categories each leave a share of doubt; a category is as good as its best signal. */
function confidenceOf(drivers: readonly Driver[], usual: Usual): number {
  const trust = new Map<SignalCategory, number>();
  for (const { signal, weight } of drivers) {
    const category = categoryOf[signal];
    trust.set(category, Math.max(trust.get(category) ?? 0, weight * reliabilityOf(signal, usual)));
  }
  const doubt = [...trust.values()].reduce((product, each) => product * (1 - model.confidence.share * each), 1);
  return Math.round((1 - doubt) * 100) / 100;
}

/** 0..1; a heart rate is worth more against a person's own baseline than against the population. */
function reliabilityOf(signal: SignalName, usual: Usual): number {
  const { heart_rate_cold, heart_rate_personal, sdnn } = model.confidence;
  if (signal === 'heart_rate')
    return heart_rate_cold + usual.heart_rate.known * (heart_rate_personal - heart_rate_cold);
  return signal === 'sdnn' ? sdnn : model.reliability[signal];
}
