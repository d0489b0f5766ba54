import { ProblemError, type SubjectProfile, type TriggerProfile } from '../../../client/src/index.js';
import { createAgreementView } from '../agreement.js';
import { h, show } from '../dom.js';
import { createFeedbackCard } from '../feedback.js';
import { label, percent, timeOfDay } from '../format.js';
import { bar, button, card, createChoice, createStatus } from '../parts.js';
import { personLink } from '../router.js';
import { nowMs, reasonOf, type Service } from '../service.js';
import * as calendar from './calendar.js';
import { duration, type Hour } from './hours.js';
import { loadDays, loadHours } from './load-hours.js';
import { heartChart, periodTable, stateLegend, stateStrips, topicLanes } from './period.js';
import { createPersonNow } from './person-now.js';
import { createPersonSessions } from './person-sessions.js';

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
  const { signal } = closed;
  const shown: Shown = {};
  let period = calendar.readPeriod(address, nowMs());
  /** Ends the requests of the previous period. */
  let leave = new AbortController();

  const choice = createPeriodChoice((chosen) => change(chosen));
  /** `note` says what is wrong with the shown period. */
  const [message, note] = [createStatus('p.notice'), createStatus('p.notice')];
  const sessions = createPersonSessions(service, subjectId, signal);
  const agreement = createAgreementView(() => service.subjectAgreement(subjectId, { signal }), 'day', signal);
  const [strips, heart, topics, baseline, figures] = [h('div'), h('div.period-chart'), h('div'), h('div'), h('div')];
  const passed = h('span.hint');
  const table = h('details.period-table', { ontoggle: () => drawTable() }, h('summary', 'Show as a table'), figures);
  const reported = [h('h3', 'Agreement with reports'), agreement.line, agreement.detail];
  const cards = h(
    'div.cards',
    { hidden: true },
    card('States', stateLegend(), strips, table),
    card('Heart rate', heart),
    card('Topics', topics),
    card('Baseline', baseline),
    createFeedbackCard(service, { subject_id: subjectId }, () => void agreement.load(), reported),
    card('Sessions', sessions.element),
  );
  const now = createPersonNow(service, subjectId, signal);
  const facts = h(
    'span.line',
    passed,
    button('Refresh', () => load()),
  );
  const element = h(
    'article.page.person',
    h('a.back', { href: '#/people' }, '← All people'),
    h('header.line', h('h1', { tabindex: -1 }, subjectId), facts),
    message.element,
    now,
    choice.element,
    note.element,
    cards,
  );

  const draw = () => {
    const { hours, fault, profile, triggers } = shown;
    if (!profile || !triggers || (!hours && fault === undefined)) return;
    const now = nowMs();
    // Without hours, the charts are empty: those of another period would have the wrong dates.
    const drawn = hours ?? [];
    show(strips, stateStrips(subjectId, period, drawn, now));
    show(heart, heartChart(period, drawn, profile.baseline.heart_rate?.resting_bpm));
    show(topics, topicLanes(period, triggers, profile, drawn, now));
    show(baseline, baselineFacts(profile.baseline));
    show(passed, `As of ${timeOfDay(now, 'seconds')}`);
    drawTable();
    message.say('');
    note.say(fault ?? '');
    for (const it of [cards, choice.element]) it.hidden = false;
    cards.ariaBusy = null;
    if (hours?.length === 0) sayEmpty(newestOf(profile, triggers));
  };
  const sayEmpty = (newestMs: number | undefined) => {
    note.say('No readings in this time. ');
    if (newestMs === undefined) return;
    const href = personLink(subjectId, calendar.addressOf(calendar.periodAt(period.span, new Date(newestMs))));
    note.element.append(h('a', { href }, `Show ${calendar.nameOfInstant(newestMs)}`));
  };
  /** Shows the hours of a day, or requests the days of a longer period, once the reader has opened the table. */
  const drawTable = () => {
    const { hours = [] } = shown;
    const of = period;
    const showRows = (rows: Parameters<typeof periodTable>[1]) =>
      of === period && show(figures, periodTable(of.span, rows));
    if (!table.open) return;
    if (of.span === 'day') return showRows(hours.map(({ row }) => row));
    loadDays(service, subjectId, of, signal).then(
      showRows,
      (error: unknown) => signal.aborted || show(figures, reasonOf(error)),
    );
  };
  const loadPeriod = () => {
    leave.abort();
    leave = new AbortController();
    const { signal: left } = leave;
    const finish = (loaded: Pick<Shown, 'hours' | 'fault'>) => {
      if (left.aborted) return;
      delete shown.hours;
      delete shown.fault;
      Object.assign(shown, loaded);
      draw();
    };
    loadHours(service, subjectId, period, left).then(
      (hours) => finish({ hours }),
      (error: unknown) => !isUnknown(error) && finish({ fault: reasonOf(error) }),
    );
  };
  const loadPerson = async () => {
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
      if (signal.aborted) return;
      message.say(isUnknown(error) ? `No data about this person. ${unknownHint}` : reasonOf(error));
      // Data of an erased person must not stay on the screen. After a failed request, the earlier data stays.
      if (!isUnknown(error)) return;
      note.say('');
      for (const it of [cards, choice.element, now]) it.hidden = true;
    });
  };
  const change = (chosen: calendar.Period) => {
    period = chosen;
    choice.show(period);
    delete shown.hours;
    delete shown.fault;
    // The charts of the previous period are dimmed until the next ones replace them.
    cards.ariaBusy = 'true';
    // The address names the period. Going back leaves the person.
    history.replaceState(null, '', personLink(subjectId, calendar.addressOf(period)));
    loadPeriod();
  };
  choice.show(period);
  message.say('Loading …');
  note.say('');
  load();
  return {
    element,
    close() {
      closed.abort();
      leave.abort();
    },
  };
}

/** Returns the choice of day, week or month, with buttons for the previous and the next one. */
function createPeriodChoice(onChange: (period: calendar.Period) => void) {
  let period = calendar.readPeriod('', nowMs());
  const choices = calendar.spans.map((it) => [it, label(it)] as const);
  const span = createChoice({ name: 'span', legend: 'Period' }, choices, (value) =>
    onChange(calendar.withSpan(period, value, nowMs())),
  );
  const back = button('←', () => onChange(calendar.previous(period)));
  const forth = button('→', () => onChange(calendar.next(period, nowMs())));
  const title = h('p.period-title', { role: 'status' });
  return {
    element: h(
      'div.line.period',
      { hidden: true },
      span.element,
      back,
      forth,
      title,
      h('span.hint', `Times in ${calendar.timeZone()}`),
    ),
    show(shown: calendar.Period) {
      period = shown;
      span.choose(shown.span);
      show(title, calendar.titleOf(shown));
      back.ariaLabel = `Previous ${shown.span}`;
      forth.ariaLabel = `Next ${shown.span}`;
      forth.disabled = shown.toMs > nowMs();
    },
  };
}

/** Returns what the service has learned about the person's heart, and how well it is known. */
function baselineFacts({ heart_rate, sdnn, rmssd }: SubjectProfile['baseline']) {
  const [bpm, ms] = [(value: number) => `${Math.round(value)} bpm`, (value: number) => `${Math.round(value)} ms`];
  const typical = heart_rate?.typical_bpm;
  const rows = [
    heart_rate && baselineRow('Resting heart rate', bpm(heart_rate.resting_bpm), heart_rate),
    typical !== undefined && baselineRow('Typical at this time of day', bpm(typical)),
    sdnn && baselineRow('Typical SDNN', ms(sdnn.typical_ms), sdnn),
    rmssd && baselineRow('Typical RMSSD', ms(rmssd.typical_ms), rmssd),
  ];
  if (!heart_rate && !sdnn && !rmssd) return h('p.hint', 'No heart rate was measured yet.');
  return h('dl.line.facts.baseline', rows);
}

interface Known {
  readonly own_share: number;
  readonly learned_seconds: number;
}

function baselineRow(name: string, value: string, known?: Known) {
  const text = known && `known to ${percent(known.own_share)}, from ${duration(known.learned_seconds)}`;
  const meter = known && bar(`${name}, known`, known.own_share);
  return h('div', h('dt.hint', name), h('dd.line', value, meter, text && h('span.hint', text)));
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
