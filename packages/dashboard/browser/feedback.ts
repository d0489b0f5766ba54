import type { Feedback, FeedbackSubmission } from '../../client/src/index.js';
import { enums } from '../../../generated/spec.js';
import { type Content, h } from '../../ui/dom.js';
import { count, words } from '../../ui/format.js';
import { card, createChoice, createField, createSelect, createStatus, optional } from '../../ui/parts.js';
import { nowMs, reasonOf, type Service } from './service.js';

/** The session or the person of a report. */
type About = Pick<FeedbackSubmission, 'session_id'> | Pick<FeedbackSubmission, 'subject_id'>;

const stressMax = 10;
const numbers = Array.from({ length: stressMax + 1 }, (_, value) => [value, String(value)] as const);
/** The times that a report is about: seconds until now. 0 is the present moment. */
const durations = [
  [0, 'Right now'],
  [900, 'The last 15 minutes'],
  [3_600, 'The last hour'],
  [14_400, 'The last 4 hours'],
  [28_800, 'The last 8 hours'],
] as const;

/** Returns a form that stores how stressed the person says they are, and the content below it. */
export function createFeedbackCard(service: Service, about: About, onStored = () => {}, ...below: readonly Content[]) {
  // No number is chosen at first, so that none is stored by accident.
  const stress = createChoice({ name: 'stress', legend: 'How stressed is the person?', isShown: true }, numbers);
  stress.element.classList.add('stress');
  const ends = [h('span', '0: not at all'), h('span', `${stressMax}: as much as imaginable`)];
  stress.element.append(h('span.line.between.hint', ends));
  const time = createSelect(durations);
  const note = createSelect(optional('Not stated', enums.NoteCode));
  const outcome = createStatus();
  let isSending = false;
  const send = async (value: number) => {
    const seconds = Number(time.value);
    const code = enums.NoteCode.find((it) => it === note.value);
    const report: FeedbackSubmission = {
      ...about,
      timestamp: new Date(nowMs()).toISOString(),
      ...(seconds > 0 && { duration_seconds: seconds }),
      stress: value,
      ...(code && { note_code: code }),
    };
    try {
      outcome.say(describe(await service.submitFeedback(report)));
      // The next report is another statement of the person.
      stress.choose();
      note.value = '';
      onStored();
    } catch (error) {
      outcome.say(`Not stored. ${reasonOf(error)}`, true);
    }
    isSending = false;
  };
  const onsubmit = (event: Event) => {
    event.preventDefault();
    const value = stress.value();
    // The button is never disabled, because it would lose its focus.
    if (isSending) return;
    if (value === undefined) {
      outcome.say('Choose the number that the person states.', true);
      return stress.focus();
    }
    isSending = true;
    void send(value);
  };
  const fields = [createField('Time of the report', time), createField('Explained by', note)];
  const submit = h('button.primary', { type: 'submit' }, 'Store report');
  const element = card(
    'Report stress',
    h('p.hint', 'Ask the person before they see the score. A report changes no score.'),
    h('form.line', { novalidate: true, onsubmit }, stress.element, ...fields.map((it) => it.element), submit),
    outcome.element,
    below,
  );
  element.classList.add('wide', 'feedback');
  return element;
}

function describe({ published }: Feedback): string {
  if (!published) return 'Stored. No score was published for this time, so the report does not count in the agreement.';
  const { stress_score: score, state, readings } = published;
  const what = readings === 1 ? 'The score of this time' : `The mean score of ${count(readings, 'reading')}`;
  return `Stored. ${what} is ${score} (${words(state)}).`;
}
