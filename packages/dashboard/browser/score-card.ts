import { bands, scoreMax, signalAges } from '../../../generated/spec.js';
import type { History, StateReading } from '../../client/src/index.js';
import { h, setText, svg } from './dom.js';
import { age, capitalized, hasEnded, percent, whenOf, whenShort, words } from './format.js';

const halfLifeMs = signalAges.half_life_seconds * 1_000;
const arrows: Readonly<Record<History['trend'], string>> = { rising: '↗', falling: '↘', stable: '→' };

/** Returns the score as a large figure, with its band on a scale, the confidence and the trend. */
export function createScoreCard() {
  const figure = h('span', { class: 'score' });
  // Announced when the state changes: the number and the age change too often.
  const name = h('span', { role: 'status' });
  const passed = h('span', {});
  const chip = h('span', { class: 'state-chip' }, name, passed);
  const marker = svg('path', { class: 'marker', d: 'M0 0l5 7h-10z' });
  const scale = svg('svg', { class: 'scale', viewBox: '0 0 300 22', 'aria-hidden': 'true' }, ...scaleBands(), marker);
  const confidence = h('span', {});
  const meter = h('meter', { min: 0, max: 1, 'aria-label': 'Confidence' });
  const trend = h('dd', {});
  const last = h('dd', {});
  const present = [
    h('div', {}, h('dt', {}, 'Confidence'), h('dd', {}, confidence, meter)),
    h('div', {}, h('dt', {}, 'Trend, 5 minutes'), trend),
  ];
  const past = h('div', {}, h('dt', {}, 'Last state'), last);
  const element = h(
    'section',
    { class: 'card score-card', 'aria-label': 'Score' },
    h('p', { class: 'figure' }, figure, h('span', { class: 'of' }, `/ ${scoreMax}`), chip),
    scale,
    h('dl', { class: 'facts' }, ...present, past),
  );
  let shown: StateReading['state'] = 'calm';
  let sinceMs = 0;
  return {
    element,
    show({ stress_score, state, state_since, timestamp }: StateReading) {
      shown = state;
      sinceMs = Date.parse(state_since ?? timestamp);
      setText(figure, String(stress_score));
      marker.setAttribute('transform', `translate(${(stress_score / scoreMax) * 300} 13)`);
    },
    showTrend(direction: History['trend']) {
      setText(trend, `${arrows[direction]} ${capitalized(direction)}`);
    },
    /** Shows whether the state still counts at a time. `sure` is the confidence of the newest reading. */
    tick(newestMs: number, nowMs: number, sure: number | undefined) {
      const isPast = hasEnded(newestMs, nowMs);
      const state = capitalized(words(shown));
      element.classList.toggle('ended', isPast);
      chip.className = `state-chip ${isPast ? 'ended' : shown}`;
      setText(name, isPast ? 'Ended' : state);
      setText(passed, isPast ? ` ${age(newestMs, nowMs)}` : ` since ${whenShort(sinceMs, nowMs)}`);
      for (const fact of present) fact.hidden = isPast;
      past.hidden = !isPast;
      setText(last, `${state}, ${whenOf(newestMs, nowMs)}`);
      if (sure === undefined) return;
      // The confidence halves with the age of the signals, as in the state that the service returns.
      meter.value = sure * 2 ** (-Math.max(0, nowMs - newestMs) / halfLifeMs);
      setText(confidence, percent(meter.value));
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
