import { enums, signals } from '../../../../generated/spec.js';
import { h } from '../dom.js';
import { words } from '../format.js';
import type { Send, Signals } from './send-panel.js';

const heartRates = { ...boundsOf(signals.heart_rate), step: 1, value: 72, unit: signals.heart_rate.unit };
const sentiments = { ...boundsOf(signals.sentiment), step: 0.05, value: 0, unit: '' };

/** Returns the form of a reading. Every signal can be left out. A turn names the subject. */
export function createReadingForm(send: Send, subjectOf: () => Pick<Signals, 'subject_id'>): HTMLElement {
  const rate = slider('Heart rate', heartRates);
  const mood = slider('Sentiment', sentiments);
  const tone = choice('Tone of voice', enums.Tone);
  const expression = choice('Expression', enums.Expression);
  const said = textField('The person said');
  const answered = textField('The assistant answered');
  const derives = h('input', { type: 'checkbox' });
  const button = h('button', { type: 'submit', class: 'primary' }, 'Send reading');
  const turn = h(
    'details',
    { class: 'turn' },
    h('summary', {}, 'Add a conversation turn'),
    h('p', { class: 'hint' }, 'It names the subject. The service detects topics in it and never stores its text.'),
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
    const [heart_rate, sentiment, toneOfVoice, face] = [rate.value(), mood.value(), tone.value(), expression.value()];
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
      ...((user_message || ai_response) && subjectOf()),
    };
  };
  element.addEventListener('submit', (event) => {
    event.preventDefault();
    button.disabled = true;
    void send(read()).finally(() => (button.disabled = false));
  });
  return element;
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

function choice<Label extends string>(name: string, labels: readonly Label[]) {
  const id = `send-${name.toLowerCase().replaceAll(' ', '-')}`;
  const options = labels.map((label) => h('option', { value: label }, words(label)));
  const select = h('select', { id }, h('option', { value: '' }, 'not sent'), ...options);
  const element = h('p', { class: 'field' }, h('label', { for: id }, name), select);
  return { element, value: () => labels.find((it) => it === select.value) };
}

function textField(name: string) {
  const id = `send-${name.toLowerCase().replaceAll(' ', '-')}`;
  const input = h('textarea', { id, rows: 2 });
  const element = h('p', { class: 'field' }, h('label', { for: id }, name), input);
  return { element, value: () => input.value.trim() };
}
