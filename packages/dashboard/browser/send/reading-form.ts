import { enums, signals } from '../../../../generated/spec.js';
import { h, show } from '../../../ui/dom.js';
import { checkbox, createField, createSelect, optional } from '../../../ui/parts.js';
import type { Send, Signals } from './send.js';

const { heart_rate: rates, sentiment: sentiments } = signals;

/** Returns the form of a reading, with `outcome` beside its button. Every signal can be left out. */
export function createReadingForm(send: Send, outcome: HTMLElement): HTMLElement {
  const rate = createSlider('Heart rate', { min: rates.minimum, max: rates.maximum, step: 1, value: 72 }, rates.unit);
  const mood = createSlider('Sentiment', { min: sentiments.minimum, max: sentiments.maximum, step: 0.05, value: 0 });
  const [tone, expression] = [enums.Tone, enums.Expression].map((it) => createSelect(optional('Not sent', it)));
  const [said, answered] = [h('textarea', { rows: 2 }), h('textarea', { rows: 2 })];
  const derives = h('input', { type: 'checkbox' });
  const submit = h('button.primary', { type: 'submit' }, 'Send reading');
  const read = (): Signals => {
    const [heart_rate, sentiment] = [rate.value(), mood.value()];
    const spoken = enums.Tone.find((it) => it === tone?.value);
    const face = enums.Expression.find((it) => it === expression?.value);
    const [user_message, ai_response] = [said.value.trim(), answered.value.trim()];
    const isDerived = derives.checked && user_message !== '';
    return {
      ...(heart_rate !== undefined && { heart_rate }),
      ...(sentiment !== undefined && !isDerived && { sentiment }),
      ...(isDerived && { derive_sentiment: true }),
      ...(spoken && { tone: spoken }),
      ...(face && { expression: face }),
      ...(user_message && { user_message }),
      ...(ai_response && { ai_response }),
    };
  };
  const onsubmit = (event: Event) => {
    event.preventDefault();
    submit.disabled = true;
    void send(read()).finally(() => (submit.disabled = false));
  };
  return h(
    'form',
    { onsubmit },
    h('h3', 'By hand'),
    h(
      'div.fields',
      rate.element,
      mood.element,
      tone && createField('Tone of voice', tone).element,
      expression && createField('Expression', expression).element,
    ),
    h(
      'details.field',
      h('summary', 'Add a conversation turn'),
      h('p.hint', 'The service detects topics in it and never stores its text.'),
      createField('The person said', said).element,
      createField('The assistant answered', answered).element,
      checkbox('Derive the sentiment from the words, instead of the slider', derives),
    ),
    h('div.line', submit, outcome),
  );
}

/** Returns a slider with a checkbox that leaves its signal out. */
function createSlider(name: string, range: Readonly<Record<'min' | 'max' | 'step' | 'value', number>>, unit = '') {
  const update = () => {
    input.disabled = !isSent.checked;
    const text = isSent.checked ? `${input.value} ${unit}`.trim() : 'not sent';
    show(shown, text);
    input.setAttribute('aria-valuetext', text);
  };
  const input = h('input', { type: 'range', oninput: update, ...range });
  const title = `Send ${name.toLowerCase()}`;
  const isSent = h('input', { type: 'checkbox', checked: true, 'aria-label': title, onchange: update });
  const shown = h('output.end.hint');
  const { element } = createField(name, input);
  element.prepend(h('span.line', isSent, element.querySelector('label') ?? '', shown));
  update();
  return { element, value: () => (isSent.checked ? Number(input.value) : undefined) };
}
