import type { Feedback, FeedbackSubmission } from '../../../client/src/index.js';
import { enums, feedback as settings } from '../../../../generated/spec.js';
import { nowMs } from '../clock.js';
import { h, setText } from '../dom.js';
import { capitalized, count, words } from '../format.js';
import { reasonOf, type Service } from '../service.js';

/** The session or the person of a report. */
export type About = Pick<FeedbackSubmission, 'session_id'> | Pick<FeedbackSubmission, 'subject_id'>;

const stressMax = 10;
/** The times that a report is about: seconds until now. 0 is the present moment. */
const durations: ReadonlyArray<readonly [seconds: number, name: string]> = [
  [0, 'right now'],
  [900, 'the last 15 minutes'],
  [3_600, 'the last hour'],
  [14_400, 'the last 4 hours'],
  [28_800, 'the last 8 hours'],
];

/** Returns a form that stores how stressed the person says they are. Calls `onStored` after each stored report. */
export function createFeedbackCard(service: Service, about: About, onStored = () => {}): HTMLElement {
  const slider = createStressSlider();
  const time = createChoice('Time of the report', durations);
  const note = createChoice('Explained by', [
    ['', 'not stated'],
    ...enums.NoteCode.map((it) => [it, words(it)] as const),
  ]);
  const outcome = h('p', { class: 'outcome', role: 'status' });
  const say = (text: string, isFault: boolean) => {
    outcome.className = isFault ? 'outcome fault' : 'outcome';
    setText(outcome, text);
  };
  const form = h(
    'form',
    {},
    slider.element,
    h('div', { class: 'fields' }, time.element, note.element),
    h('button', { type: 'submit', class: 'primary' }, 'Store report'),
  );
  let isSending = false;
  const send = async (stress: number) => {
    const seconds = Number(time.select.value);
    const report: FeedbackSubmission = {
      ...about,
      timestamp: new Date(nowMs()).toISOString(),
      ...(seconds > 0 && { duration_seconds: seconds }),
      stress,
      ...(note.select.value !== '' && { note_code: note.select.value as NonNullable<FeedbackSubmission['note_code']> }),
    };
    try {
      say(describe(await service.submitFeedback(report)), false);
      // The next report is another statement of the person.
      slider.clear();
      note.select.value = '';
      onStored();
    } catch (error) {
      say(`Not stored. ${reasonOf(error)}`, true);
    }
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const stress = slider.value();
    // The button is never disabled, because it would lose its focus.
    if (isSending) return;
    if (stress === undefined) {
      say('Move the slider to the number that the person states.', true);
      return slider.focus();
    }
    isSending = true;
    void send(stress).finally(() => (isSending = false));
  });
  return h(
    'section',
    { class: 'card wide feedback', 'aria-labelledby': 'feedback-title' },
    h('h2', { id: 'feedback-title' }, 'Report stress'),
    h('p', { class: 'hint' }, 'Ask the person before they see the score. A report changes no score.'),
    form,
    outcome,
  );
}

function describe({ published }: Feedback): string {
  if (!published) return 'Stored. No score was published for this time, so the report does not count in the agreement.';
  const { stress_score: score, state, readings } = published;
  const what = readings === 1 ? 'The score of this time' : `The mean score of ${count(readings, 'reading')}`;
  return `Stored. ${what} is ${score} (${words(state)}).`;
}

/** Returns a slider without a value until the person of the page moves it, so that no number is stored by accident. */
function createStressSlider() {
  const id = 'feedback-stress';
  const input = h('input', { id, type: 'range', min: 0, max: stressMax, step: 1, 'aria-describedby': 'feedback-ends' });
  const shown = h('output', { for: id });
  let value: number | undefined;
  const show = () => {
    setText(shown, value === undefined ? 'not stated' : `${value} of ${stressMax}`);
    input.setAttribute('aria-valuetext', shown.textContent);
    input.classList.toggle('unset', value === undefined);
  };
  const choose = () => {
    value = Number(input.value);
    show();
  };
  const clear = () => {
    input.value = String(settings.stressed_from);
    value = undefined;
    show();
  };
  // A click on the thumb states its number without moving it.
  for (const name of ['input', 'click']) input.addEventListener(name, choose);
  clear();
  const element = h(
    'p',
    { class: 'field' },
    h('span', { class: 'field-head' }, h('label', { for: id }, 'How stressed is the person?'), shown),
    input,
    h(
      'span',
      { class: 'hint ends', id: 'feedback-ends' },
      h('span', {}, '0: not at all'),
      h('span', {}, `${stressMax}: as much as imaginable`),
    ),
  );
  return { element, clear, value: () => value, focus: () => input.focus() };
}

function createChoice(name: string, choices: ReadonlyArray<readonly [value: string | number, text: string]>) {
  const id = `feedback-${name.toLowerCase().replaceAll(' ', '-')}`;
  const options = choices.map(([value, text]) => h('option', { value }, capitalized(text)));
  const select = h('select', { id }, ...options);
  return { select, element: h('p', { class: 'field' }, h('label', { for: id }, name), select) };
}
