import type { SubjectProfile } from '../../../client/src/index.js';
import { h } from '../dom.js';
import { capitalized, percent } from '../format.js';
import { duration } from './hours.js';

/** Returns what the service has learned about the person's heart, and how well it is known. */
export function baselineFacts({ heart_rate, sdnn, rmssd }: SubjectProfile['baseline']): HTMLElement {
  const bpm = (value: number) => `${Math.round(value)} bpm`;
  const rows = [
    ...(heart_rate ? [row('Resting heart rate', bpm(heart_rate.resting_bpm), heart_rate)] : []),
    ...(heart_rate?.typical_bpm !== undefined
      ? [row('Typical at this time of day', bpm(heart_rate.typical_bpm), undefined)]
      : []),
    ...(sdnn ? [row('Typical SDNN', `${Math.round(sdnn.typical_ms)} ms`, sdnn)] : []),
    ...(rmssd ? [row('Typical RMSSD', `${Math.round(rmssd.typical_ms)} ms`, rmssd)] : []),
  ];
  if (rows.length === 0) return h('p', { class: 'hint' }, 'No heart rate was measured yet.');
  return h('dl', { class: 'baseline' }, ...rows.flat());
}

interface Known {
  readonly own_share: number;
  readonly learned_seconds: number;
}

function row(name: string, value: string, known: Known | undefined): HTMLElement {
  const text = known && `known to ${percent(known.own_share)}, from ${duration(known.learned_seconds)}`;
  const meter =
    known && h('meter', { min: 0, max: 1, value: known.own_share, 'aria-label': `${capitalized(name)}, known` });
  return h(
    'div',
    {},
    h('dt', {}, name),
    h('dd', {}, h('strong', {}, value), meter, text !== undefined && h('span', { class: 'hint' }, text)),
  );
}
