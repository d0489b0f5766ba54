import { h } from './dom.js';

const choices = [5, 15, 30, 60];
const initial = 15;

/** Returns a choice of the minutes that the chart shows. */
export function createRangeChoice(onChange: () => void) {
  const inputs = choices.map((value) =>
    h('input', { type: 'radio', name: 'minutes', value, checked: value === initial, onchange: onChange }),
  );
  const labels = inputs.map((input) => h('label', {}, input, h('span', {}, `${input.value} min`)));
  return {
    element: h('fieldset', { class: 'choice' }, h('legend', { class: 'visually-hidden' }, 'Window'), ...labels),
    minutes: () => Number(inputs.find(({ checked }) => checked)?.value ?? initial),
  };
}
