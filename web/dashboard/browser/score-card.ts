import { bands, stressModel } from '../../../generated/spec.js';
import type { History, StateReading } from '../../../clients/typescript/src/index.js';
import { h, setText, svg } from './dom.js';
import { capitalized, percent, words } from './format.js';

export interface ScoreCard {
  readonly element: HTMLElement;
  show(reading: StateReading): void;
  showTrend(trend: History['trend']): void;
}

const { score_max: scoreMax } = stressModel;
const arrows: Readonly<Record<History['trend'], string>> = { rising: '↗', falling: '↘', stable: '→' };

/** Returns the score as a large figure, with its band on a scale, the confidence and the trend. */
export function createScoreCard(): ScoreCard {
  const figure = h('span', { class: 'score' });
  // Announced when the state changes: the number alone changes too often.
  const name = h('span', { class: 'state-chip', role: 'status' });
  const marker = svg('path', { class: 'marker', d: 'M0 0l5 7h-10z' });
  const scale = svg('svg', { class: 'scale', viewBox: '0 0 300 22', 'aria-hidden': 'true' }, ...scaleBands(), marker);
  const confidence = h('span', {});
  const meter = h('meter', { min: 0, max: 1, 'aria-label': 'Confidence' });
  const trend = h('dd', {});
  const element = h(
    'section',
    { class: 'card score-card', 'aria-label': 'Score' },
    h('p', { class: 'figure' }, figure, h('span', { class: 'of' }, `/ ${scoreMax}`), name),
    scale,
    h(
      'dl',
      { class: 'facts' },
      h('div', {}, h('dt', {}, 'Confidence'), h('dd', {}, confidence, meter)),
      h('div', {}, h('dt', {}, 'Trend, 5 minutes'), trend),
    ),
  );
  return {
    element,
    show({ stress_score, state, confidence: sure }) {
      setText(figure, String(stress_score));
      setText(name, capitalized(words(state)));
      name.className = `state-chip ${state}`;
      marker.setAttribute('transform', `translate(${(stress_score / scoreMax) * 300} 13)`);
      setText(confidence, percent(sure));
      meter.value = sure;
    },
    showTrend(direction) {
      setText(trend, `${arrows[direction]} ${capitalized(direction)}`);
    },
  };
}

function scaleBands(): SVGElement[] {
  return bands.map(({ state, min_score: min }, index) => {
    const end = bands[index + 1]?.min_score ?? scoreMax;
    const [x, width] = [(min / scoreMax) * 300, ((end - min) / scoreMax) * 300 - 2];
    return svg('rect', { class: `scale-band ${state}`, x, y: 2, width, height: 8, rx: 2 });
  });
}
