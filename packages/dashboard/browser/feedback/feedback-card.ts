import type { Feedback, FeedbackSubmission } from '../../../client/src/index.js';
import { enums } from '../../../../generated/spec.js';
import { nowMs } from '../clock.js';
import { choiceField, h, setText } from '../dom.js';
import { count, words } from '../format.js';
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

/**
 * Returns a form that stores how stressed the person says they are, above `content`. Calls `onStored` after each stored
 * report.
 */
export function createFeedbackCard(
  service: Service,
  about: About,
  onStored = () => {},
  ...content: readonly HTMLElement[]
): HTMLElement {
  const choice = createStressChoice();
  const time = choiceField('Time of the report', durations);
  const note = choiceField('Explained by', [
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
    { novalidate: true },
    choice.element,
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
      choice.clear();
      note.select.value = '';
      onStored();
    } catch (error) {
      say(`Not stored. ${reasonOf(error)}`, true);
    }
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const stress = choice.value();
    // The button is never disabled, because it would lose its focus.
    if (isSending) return;
    if (stress === undefined) {
      say('Choose the number that the person states.', true);
      return choice.focus();
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
    ...content,
  );
}

function describe({ published }: Feedback): string {
  if (!published) return 'Stored. No score was published for this time, so the report does not count in the agreement.';
  const { stress_score: score, state, readings } = published;
  const what = readings === 1 ? 'The score of this time' : `The mean score of ${count(readings, 'reading')}`;
  return `Stored. ${what} is ${score} (${words(state)}).`;
}

/** Returns a button per number. None is chosen at first, so that no number is stored by accident. */
function createStressChoice() {
  const inputs = Array.from({ length: stressMax + 1 }, (_, value) =>
    h('input', { type: 'radio', name: 'stress', value, required: true }),
  );
  const labels = inputs.map((input) => h('label', {}, input, h('span', {}, input.value)));
  const ends = [h('span', {}, '0: not at all'), h('span', {}, `${stressMax}: as much as imaginable`)];
  const legend = h('legend', {}, 'How stressed is the person?');
  const choice = h('div', { class: 'choice' }, ...labels);
  const element = h('fieldset', { class: 'field stress' }, legend, choice, h('span', { class: 'hint ends' }, ...ends));
  const chosen = () => inputs.find(({ checked }) => checked);
  return {
    element,
    clear: () => inputs.forEach((it) => (it.checked = false)),
    value: () => (chosen() ? Number(chosen()?.value) : undefined),
    focus: () => inputs[0]?.focus(),
  };
}
