import { ProblemError, type SubjectProfile, type TriggerProfile } from '../../../client/src/index.js';
import { nowMs } from '../clock.js';
import { card, h, setText, smallButton } from '../dom.js';
import { createAgreementView } from '../feedback/agreement.js';
import { createFeedbackCard } from '../feedback/feedback-card.js';
import { timeOfDay } from '../format.js';
import { personLink } from '../router.js';
import { reasonOf, type Service } from '../service.js';
import { baselineFacts } from './baseline-card.js';
import { addressOf, nameOfInstant, type Period, periodAt, readPeriod } from './calendar.js';
import type { Hour } from './hours.js';
import { loadHours } from './load-hours.js';
import { createPeriodChoice } from './period-choice.js';
import { createPersonNow } from './person-now.js';
import { createPersonSessions } from './person-sessions.js';
import { heartPlot } from './plots.js';
import { createPeriodTable } from './period-table.js';
import { stateLegend, stateStrips } from './strips.js';
import { topicLanes } from './topic-lanes.js';

const unknownHint = 'No reading names this subject, or the person was erased.';

/** What the page shows. A part is undefined until it has loaded. */
interface Shown {
  hours?: readonly Hour[];
  /** Why the hours did not load. */
  fault?: string;
  profile?: SubjectProfile;
  triggers?: TriggerProfile;
}

/** Returns the page of a person: states, heart rate and topics of a period, baseline, reports and sessions. */
export function createPersonView(service: Service, subjectId: string, address: string) {
  const closed = new AbortController();
  const shown: Shown = {};
  let period = readPeriod(address, nowMs());
  /** Ends the requests of the previous period. */
  let leave = new AbortController();

  const choice = createPeriodChoice((chosen) => show(chosen));
  const message = h('p', { class: 'notice', role: 'status' }, 'Loading …');
  /** What is wrong with the shown period. */
  const note = h('p', { class: 'notice', role: 'status', hidden: true });
  const sessions = createPersonSessions(service, subjectId, closed.signal);
  const table = createPeriodTable(service, subjectId, closed.signal);
  const agreement = createAgreementView(
    () => service.subjectAgreement(subjectId, { signal: closed.signal }),
    'day',
    closed.signal,
  );
  const [strips, heart, topics, baseline] = [h('div', {}), h('div', {}), h('div', {}), h('div', {})];
  const cards = h(
    'div',
    { class: 'cards', hidden: true },
    card('States', stateLegend(), strips, table.element),
    card('Heart rate', heart),
    card('Topics', topics),
    card('Baseline', baseline),
    createFeedbackCard(
      service,
      { subject_id: subjectId },
      () => void agreement.load(),
      h('h3', {}, 'Agreement with reports'),
      agreement.line,
      agreement.detail,
    ),
    card('Sessions', sessions.element),
  );
  const refresh = smallButton('Refresh', () => load());
  const now = createPersonNow(service, subjectId, closed.signal);
  const passed = h('span', { class: 'hint' });
  const element = h(
    'article',
    { class: 'page person' },
    h('a', { class: 'back', href: '#/people' }, '← All people'),
    h('header', {}, h('h1', { tabindex: -1 }, subjectId), h('span', { class: 'person-facts' }, passed, refresh)),
    message,
    now,
    choice.element,
    note,
    cards,
  );

  const say = (place: HTMLElement, text: string) => {
    place.hidden = text === '';
    setText(place, text);
  };
  const draw = () => {
    const { hours, fault, profile, triggers } = shown;
    if (!profile || !triggers || (!hours && fault === undefined)) return;
    const now = nowMs();
    // Without hours, the charts are empty: those of another period would have the wrong dates.
    const drawn = hours ?? [];
    table.show(period, drawn);
    strips.replaceChildren(stateStrips(subjectId, period, drawn, now));
    heart.replaceChildren(heartPlot(period, drawn, profile.baseline.heart_rate?.resting_bpm));
    const known = { triggers: triggers.triggers, changes: profile.status_changes ?? {} };
    topics.replaceChildren(topicLanes(period, known, drawn, now));
    baseline.replaceChildren(baselineFacts(profile.baseline));
    setText(passed, `As of ${timeOfDay(now, 'seconds')}`);
    say(message, '');
    say(note, fault ?? '');
    for (const it of [cards, choice.element]) it.hidden = false;
    cards.ariaBusy = null;
    if (hours?.length === 0) sayEmpty(newestOf(profile, triggers));
  };
  const sayEmpty = (newestMs: number | undefined) => {
    say(note, 'No readings in this time. ');
    if (newestMs === undefined) return;
    const address = addressOf(periodAt(period.span, new Date(newestMs)));
    note.append(h('a', { href: personLink(subjectId, address) }, `Show ${nameOfInstant(newestMs)}`));
  };
  const loadPeriod = () => {
    leave.abort();
    leave = new AbortController();
    const { signal } = leave;
    const finish = (loaded: Pick<Shown, 'hours' | 'fault'>) => {
      if (signal.aborted) return;
      delete shown.hours;
      delete shown.fault;
      Object.assign(shown, loaded);
      draw();
    };
    loadHours(service, subjectId, period, signal).then(
      (hours) => finish({ hours }),
      (error: unknown) => !isUnknown(error) && finish({ fault: reasonOf(error) }),
    );
  };
  const loadPerson = async () => {
    const { signal } = closed;
    const [profile, triggers] = await Promise.all([
      service.subject(subjectId, { signal }),
      service.triggers(subjectId, { signal }),
    ]);
    Object.assign(shown, { profile, triggers });
    draw();
  };
  const load = () => {
    loadPeriod();
    void sessions.load();
    void agreement.load();
    loadPerson().catch((error: unknown) => {
      if (closed.signal.aborted) return;
      say(message, isUnknown(error) ? `No data about this person. ${unknownHint}` : reasonOf(error));
      // Data of an erased person must not stay on the screen. After a failed request, the earlier data stays.
      if (!isUnknown(error)) return;
      say(note, '');
      for (const it of [cards, choice.element, now]) it.hidden = true;
    });
  };
  const show = (chosen: Period) => {
    period = chosen;
    choice.show(period);
    delete shown.hours;
    delete shown.fault;
    // The charts of the previous period are dimmed until the next ones replace them.
    cards.ariaBusy = 'true';
    // The address names the period. Going back leaves the person.
    history.replaceState(null, '', personLink(subjectId, addressOf(period)));
    loadPeriod();
  };
  choice.show(period);
  load();
  return {
    element,
    close() {
      closed.abort();
      leave.abort();
    },
  };
}

/** Returns the newest time of which the service has learned something, epoch ms. */
function newestOf({ baseline }: SubjectProfile, { triggers }: TriggerProfile): number | undefined {
  const { heart_rate, sdnn, rmssd } = baseline;
  const measured = [heart_rate, sdnn, rmssd].flatMap((it) => it?.latest.timestamp ?? []);
  const times = [...measured, ...Object.values(triggers).map((it) => it.last_seen)].map(Date.parse);
  return times.length === 0 ? undefined : Math.max(...times);
}

function isUnknown(error: unknown): boolean {
  return error instanceof ProblemError && error.code === 'subject_not_found';
}
