import { enums, signals } from '../../../../generated/spec.js';
import { choiceField, h } from '../dom.js';
import { words } from '../format.js';
import type { Send, Signals } from './send-panel.js';

const heartRates = { ...boundsOf(signals.heart_rate), step: 1, value: 72, unit: signals.heart_rate.unit };
const sentiments = { ...boundsOf(signals.sentiment), step: 0.05, value: 0, unit: '' };

/** Returns the form of a reading. Every signal can be left out. */
export function createReadingForm(send: Send): HTMLElement {
  const rate = slider('Heart rate', heartRates);
  const mood = slider('Sentiment', sentiments);
  const tone = choiceField('Tone of voice', optional(enums.Tone));
  const expression = choiceField('Expression', optional(enums.Expression));
  const said = textField('The person said');
  const answered = textField('The assistant answered');
  const derives = h('input', { type: 'checkbox' });
  const button = h('button', { type: 'submit', class: 'primary' }, 'Send reading');
  const turn = h(
    'details',
    { class: 'turn' },
    h('summary', {}, 'Add a conversation turn'),
    h('p', { class: 'hint' }, 'The service detects topics in it and never stores its text.'),
    said.element,
    answered.element,
    h(
      'p',
      { class: 'field' },
      h('label', { class: 'check' }, derives, 'Derive the sentiment from the words, instead of the slider'),
    ),
  );
  const element = h(
    'form',
    { class: 'reading' },
    h('h3', {}, 'By hand'),
    h('div', { class: 'fields' }, rate.element, mood.element, tone.element, expression.element),
    turn,
    button,
  );
  const read = (): Signals => {
    const [heart_rate, sentiment] = [rate.value(), mood.value()];
    const toneOfVoice = enums.Tone.find((it) => it === tone.select.value);
    const face = enums.Expression.find((it) => it === expression.select.value);
    const [user_message, ai_response] = [said.value(), answered.value()];
    const isDerived = derives.checked && user_message !== '';
    return {
      ...(heart_rate !== undefined && { heart_rate }),
      ...(sentiment !== undefined && !isDerived && { sentiment }),
      ...(isDerived && { derive_sentiment: true }),
      ...(toneOfVoice && { tone: toneOfVoice }),
      ...(face && { expression: face }),
      ...(user_message && { user_message }),
      ...(ai_response && { ai_response }),
    };
  };
  element.addEventListener('submit', (event) => {
    event.preventDefault();
    button.disabled = true;
    void send(read()).finally(() => (button.disabled = false));
  });
  return element;
}

function optional(labels: readonly string[]) {
  return [['', 'not sent'] as const, ...labels.map((it) => [it, words(it)] as const)];
}

function boundsOf({ minimum: min, maximum: max }: { readonly minimum: number; readonly maximum: number }) {
  return { min, max };
}

/** Returns a slider with a checkbox that leaves its signal out. */
function slider(name: string, { unit, ...range }: Record<'min' | 'max' | 'step' | 'value', number> & { unit: string }) {
  const id = `send-${name.toLowerCase().replace(' ', '-')}`;
  const input = h('input', { id, type: 'range', ...range });
  const isSent = h('input', { type: 'checkbox', checked: true, 'aria-label': `Send ${name.toLowerCase()}` });
  const shown = h('output', { for: id });
  const update = () => {
    input.disabled = !isSent.checked;
    shown.textContent = isSent.checked ? `${input.value} ${unit}`.trim() : 'not sent';
    input.setAttribute('aria-valuetext', shown.textContent);
  };
  input.addEventListener('input', update);
  isSent.addEventListener('change', update);
  update();
  const element = h(
    'p',
    { class: 'field' },
    h('span', { class: 'field-head' }, isSent, h('label', { for: id }, name), shown),
    input,
  );
  return { element, value: () => (isSent.checked ? Number(input.value) : undefined) };
}

function textField(name: string) {
  const id = `send-${name.toLowerCase().replaceAll(' ', '-')}`;
  const input = h('textarea', { id, rows: 2 });
  const element = h('p', { class: 'field' }, h('label', { for: id }, name), input);
  return { element, value: () => input.value.trim() };
}
