import { nowMs } from '../clock.js';
import { h, setText } from '../dom.js';
import { capitalized } from '../format.js';
import { next, type Period, previous, readPeriod, spans, timeZone, titleOf, withSpan } from './calendar.js';

/** Returns the choice of day, week or month, with buttons for the previous and the next one. */
export function createPeriodChoice(onChange: (period: Period) => void) {
  let period = readPeriod('', nowMs());
  const inputs = spans.map((value) =>
    h('input', { type: 'radio', name: 'span', value, onchange: () => onChange(withSpan(period, value, nowMs())) }),
  );
  const labels = inputs.map((input) => h('label', {}, input, h('span', {}, capitalized(input.value))));
  const step = (text: string, stepped: () => Period) =>
    h('button', { type: 'button', class: 'secondary small', onclick: () => onChange(stepped()) }, text);
  const [back, forth] = [step('←', () => previous(period)), step('→', () => next(period, nowMs()))];
  const title = h('p', { class: 'period-title', role: 'status' });
  return {
    element: h(
      'div',
      { class: 'period' },
      h('fieldset', { class: 'choice' }, h('legend', { class: 'visually-hidden' }, 'Period'), ...labels),
      h('div', { class: 'period-steps' }, back, forth),
      title,
      h('span', { class: 'hint' }, `Times in ${timeZone()}`),
    ),
    show(shown: Period) {
      period = shown;
      for (const input of inputs) input.checked = input.value === shown.span;
      setText(title, titleOf(shown));
      back.setAttribute('aria-label', `Previous ${shown.span}`);
      forth.setAttribute('aria-label', `Next ${shown.span}`);
      forth.disabled = shown.toMs > nowMs();
    },
  };
}
