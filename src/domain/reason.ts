import { stressModel as model } from '../../generated/spec.js';
import type { Usual } from './baseline.js';
import type { SignalName, Signals, SignalValues } from './signals.js';
import type { Driver } from './stress.js';

/**
 * One plain sentence that names the signals that drove the score, with direction, strongest first; what spoke
 * clearly against it follows after "despite". Takes the drivers, signals and usual that the score was made from.
 */
export function reasonOf(drivers: readonly Driver[], signals: Signals, usual: Usual): string {
  if (drivers.length === 0) return 'No fresh signal.';
  const isRaised = drivers.reduce((sum, { logOdds }) => sum + logOdds, 0) > 0;
  const agreeing = drivers.filter(({ logOdds }) => logOdds > 0 === isRaised);
  const opposing = drivers.filter(({ logOdds }) => logOdds > 0 !== isRaised);
  const enough = Math.max(
    model.reason.driver_log_odds_min,
    model.reason.driver_share_min * Math.abs(agreeing[0]?.logOdds ?? 0),
  );
  const notable = (group: readonly Driver[]) => group.filter(({ logOdds }) => Math.abs(logOdds) >= enough);
  const list = (group: readonly Driver[]) =>
    group
      .slice(0, model.reason.drivers_max)
      .map(({ signal }) => phraseOf(signal, signals, usual))
      .join(', ');
  const [reasons, objections] = [list(notable(agreeing)), list(notable(opposing))];
  if (reasons === '') return `Nothing stands out: ${list(drivers)}.`;
  const sentence = objections === '' ? reasons : `${reasons}, despite ${objections}`;
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
}

const phrases: { readonly [N in SignalName]: (value: NonNullable<SignalValues[N]>, usual: Usual) => string } = {
  heart_rate: (bpm, { heart_rate }) => `heart rate ${beside(bpm - heart_rate.value, 'bpm', heart_rate.known)}`,
  sdnn: (ms, { sdnn }) => `heart rate variability ${beside((ms / Math.exp(sdnn.value) - 1) * 100, '%', sdnn.known)}`,
  tone: (tone) => `${tone} voice`,
  expression: (expression) => `${expression} face`,
  sentiment: (sentiment) => {
    const strength = Math.abs(sentiment) >= model.reason.sentiment_strong ? 'strongly ' : '';
    return sentiment === 0 ? 'neutral words' : `${strength}${sentiment < 0 ? 'negative' : 'positive'} words`;
  },
};

function phraseOf<N extends SignalName>(signal: N, signals: Signals, usual: Usual): string {
  const sample = signals[signal];
  return sample ? phrases[signal](sample.value, usual) : '';
}

/** Where a value lies beside the usual one: "24 bpm above this person's usual". */
function beside(difference: number, unit: string, known: number): string {
  const whose = known >= model.baseline.personal_from ? "this person's usual" : "the population's typical";
  const rounded = Math.round(difference);
  return rounded === 0 ? `at ${whose}` : `${Math.abs(rounded)} ${unit} ${rounded < 0 ? 'below' : 'above'} ${whose}`;
}
