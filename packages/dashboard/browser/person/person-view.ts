import type { SubjectProfile, SummaryRow, TriggerProfile } from '../../../client/src/index.js';
import { createAgreementView } from '../agreement.js';
import { h, show } from '../../../ui/dom.js';
import { createFeedbackCard } from '../feedback.js';
import { label, percent } from '../../../ui/format.js';
import { createImportCard } from '../import/import-card.js';
import { setName, namedHead } from '../names.js';
import { bar, button, card, createChoice, createStatus } from '../../../ui/parts.js';
import { personLink } from '../router.js';
import { isUnknown, nowMs, pauseOf, reasonOf, type Service } from '../service.js';
import * as calendar from '../../../sentence/calendar.js';
import { duration, loadDays, type LoadedHours, loadHours } from './hours.js';
import { heartChart, periodTable, stateLegend, stateStrips, topicLanes } from './period.js';
import { createPersonNow } from './person-now.js';
import { createPersonSessions } from './person-sessions.js';
import { createTodayCard } from './person-today.js';
import { openLinkDialog } from './link-dialog.js';
import { createPhoneCard } from './phone-card.js';
import { openAlertRule } from '../webhooks/alert-rules.js';
import { ownShareMin } from '../../../sentence/sentence.js';

const importHint = 'Imported readings count in these hours. They do not change the present state.';
const unknownHint = 'No reading names this subject, or the person was erased.';

/** The hours of the shown period, when the service sent them, and why a later request failed. */
type Loaded = LoadedHours & { readonly fault: string };

/** The charts of today are requested again in these steps, ms. Readings of the stream appear at once. */
const refreshMs = 60_000;

/**
 * Returns the page of a person: one sentence, the present state and its reasons, today beside usual days, and then states,
 * heart rate and topics of a period, baseline, reports and sessions.
 */
export function createPersonView(
  service: Service,
  subjectId: string,
  address: string,
  signal: AbortSignal,
): HTMLElement {
  let period = calendar.readPeriod(address, nowMs());
  let loaded: Loaded | undefined;
  /** The period of the rows in the table. */
  let tabled: calendar.Period | undefined;
  let person: readonly [SubjectProfile, TriggerProfile] | undefined;

  const choice = createPeriodChoice((chosen) => change(chosen));
  /** `note` says what is wrong with the shown period. */
  const [message, note] = [createStatus('p.notice'), createStatus('p.notice')];
  const sessions = createPersonSessions(service, subjectId, signal);
  const agreement = createAgreementView(() => service.subjectAgreement(subjectId, { signal }), 'day', signal);
  const present = createPersonNow(
    service,
    subjectId,
    signal,
    () => load(),
    () => today.draw(),
  );
  const readPresent = () => ({
    ...{ state: present.newest(), points: present.points() },
    ...(person && { baseline: person[0].baseline, triggers: person[1] }),
  });
  const said = createStatus('p.notice');
  /** Opens a dialog after a request that requires its scope. */
  const openAfter = <Value>(request: Promise<Value>, open: (value: Value) => void) =>
    void request.then(open, (error: unknown) => said.say(reasonOf(error)));
  const parts = { service, onChanged: said.say, host: h('div') };
  const alert = button('Alert …', () =>
    openAfter(service.alertRules({ signal }), () => openAlertRule(parts, subjectId)),
  );
  const link = button('Link for this person …', () =>
    openAfter(service.links(subjectId, { signal }), (links) => openLinkDialog(service, parts.host, subjectId, links)),
  );
  const today = createTodayCard(service, subjectId, signal, readPresent, alert);
  const top = h('div.cards', { hidden: true }, today.sentence, present.element, today.element);
  const [strips, heart, topics, baseline, figures] = [h('div'), h('div.period-chart'), h('div'), h('div'), h('div')];
  const table = h('details.period-table', { ontoggle: () => drawTable() }, h('summary', 'Show as a table'), figures);
  const reported = [h('h3', 'Agreement with reports'), agreement.line, agreement.detail];
  const [empty, lanesHint] = [h('p.hint'), h('p.hint', 'The figures cover all time, the lines only this period.')];
  const cards = h(
    'div.cards',
    { hidden: true },
    card('States', stateLegend(), strips, table, h('p.hint', importHint)),
    card('Heart rate', heart),
    card('Topics', topics, lanesHint),
    card('Baseline', baseline),
    empty,
    createFeedbackCard(service, { subject_id: subjectId }, () => void agreement.load(), reported),
    card('All sessions', sessions.element),
  );
  // Also for a person without data, whose first phone it may be.
  const add = h(
    'div.cards.two',
    createPhoneCard(service, subjectId, signal, () => load()),
    createImportCard(service, subjectId, signal, () => load()),
  );

  const draw = () => {
    if (!person || !loaded) return;
    const [now, [profile, triggers], { hours, absences, fault }] = [nowMs(), person, loaded];
    show(strips, stateStrips(subjectId, period, { hours, absences }, now, today.firstMs()));
    const parts = [
      [heart, heartChart(period, hours, profile.baseline.heart_rate), 'heart rate in this time'],
      [topics, topicLanes(period, triggers, profile, hours, now), 'topics'],
      [baseline, baselineFacts(profile.baseline), 'baseline'],
    ] as const;
    for (const [place, content] of parts) {
      show(place, content);
      place.closest<HTMLElement>('.card')?.toggleAttribute('hidden', content === undefined);
    }
    show(empty, explainEmpty(parts.filter(([, content]) => content === undefined).map(([, , name]) => name)));
    drawTable();
    note.say(fault);
    for (const it of [cards, choice.element]) it.hidden = false;
    cards.ariaBusy = null;
    today.draw();
    if (hours.length === 0 && fault === '') sayEmpty(newestOf(profile, triggers));
  };
  const sayEmpty = (newestMs: number | undefined) => {
    note.say('No readings in this time. ');
    if (newestMs === undefined) return;
    const href = personLink(subjectId, calendar.addressOf(calendar.periodAt(period.span, new Date(newestMs))));
    note.element.append(h('a', { href }, `Show ${calendar.instants.format(newestMs)}`));
  };
  /** Shows the hours of a day, or requests the days of a longer period, once the reader has opened the table. */
  const drawTable = () => {
    const of = period;
    const showRows = (rows: readonly SummaryRow[]) => {
      if (of !== period) return;
      tabled = of;
      show(figures, periodTable(of.span, rows));
    };
    if (!table.open) return;
    if (of.span === 'day') return showRows(loaded?.hours ?? []);
    loadDays(service, subjectId, of, signal).then(
      showRows,
      (error: unknown) => signal.aborted || tabled === of || show(figures, reasonOf(error)),
    );
  };
  const loadPeriod = () => {
    const of = period;
    const finish = (found: Loaded) => {
      if (signal.aborted || of !== period) return;
      loaded = found;
      draw();
    };
    // After a failed request, earlier hours of this period stay. Those of another period would have the wrong dates.
    loadHours(service, subjectId, of, signal).then(
      (found) => finish({ ...found, fault: '' }),
      (error: unknown) => isUnknown(error) || finish({ hours: [], absences: [], ...loaded, fault: reasonOf(error) }),
    );
  };
  const loadPerson = async () => {
    person = await Promise.all([service.subject(subjectId, { signal }), service.triggers(subjectId, { signal })]);
    message.say('');
    top.hidden = false;
    draw();
  };
  const load = () => {
    loadPeriod();
    void sessions.load();
    void agreement.load();
    today.load().then(draw, () => undefined);
    loadPerson().catch((error: unknown) => {
      if (signal.aborted) return;
      message.say(isUnknown(error) ? `No data about this person. ${unknownHint}` : reasonOf(error));
      // Data of an erased person must not stay on the screen. After a failed request, the earlier data stays.
      if (!isUnknown(error)) return;
      note.say('');
      setName(subjectId, '');
      for (const it of [cards, choice.element, top]) it.hidden = true;
    });
  };
  const change = (chosen: calendar.Period) => {
    period = chosen;
    choice.show(period);
    loaded = undefined;
    // The charts of the previous period are dimmed until the next ones replace them.
    cards.ariaBusy = 'true';
    // The address names the period. Going back leaves the person.
    history.replaceState(null, '', personLink(subjectId, calendar.addressOf(period)));
    loadPeriod();
  };
  choice.show(period);
  message.say('Loading …');
  load();
  const reload = () => document.hidden || load();
  document.addEventListener('visibilitychange', reload, { signal });
  const timer = setInterval(
    () => document.hidden || (loadPeriod(), void today.refresh().catch(() => undefined)),
    pauseOf(service, refreshMs),
  );
  signal.addEventListener('abort', () => clearInterval(timer));
  return h(
    'article.page.person',
    h('a.back', { href: '#/people' }, '← All people'),
    namedHead(subjectId, link),
    [said.element, parts.host, message.element],
    top,
    [choice.element, note.element, cards, add],
  );
}

/** Returns one line about the cards without content, and what fills them. */
function explainEmpty(names: readonly string[]): string {
  if (names.length === 0) return '';
  const isOnlyTopics = names.join() === 'topics';
  return [
    `No ${names.join(', no ')} yet.`,
    ...(isOnlyTopics ? [] : ['Connect a phone or import a file below to add heart rates.']),
    ...(names.includes('topics') ? ['Send conversation turns with this subject_id to detect topics.'] : []),
  ].join(' ');
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
  const [title, zone] = [
    h('p.headline.period-title', { role: 'status' }),
    h('span.hint', `Times in ${calendar.timeZone()}`),
  ];
  return {
    element: h('div.line.period', { hidden: true }, span.element, back, forth, title, zone),
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

/** Returns what the service has learned about the person's heart, and how well it is known. The rest of a bar is that of the population. */
function baselineFacts({ heart_rate, sdnn, rmssd }: SubjectProfile['baseline']) {
  const [bpm, ms] = [(value: number) => `${Math.round(value)} bpm`, (value: number) => `${Math.round(value)} ms`];
  const typical = heart_rate?.typical_bpm;
  const rows = [
    heart_rate && baselineRow('Resting heart rate', bpm(heart_rate.resting_bpm), heart_rate),
    typical !== undefined && baselineRow('Typical at this time of day', bpm(typical)),
    sdnn && baselineRow('Typical SDNN', ms(sdnn.typical_ms), sdnn),
    rmssd && baselineRow('Typical RMSSD', ms(rmssd.typical_ms), rmssd),
  ];
  if (!heart_rate && !sdnn && !rmssd) return undefined;
  return h('dl.line.facts.baseline', rows);
}

interface Known {
  readonly own_share: number;
  readonly learned_seconds: number;
}

function baselineRow(name: string, value: string, known?: Known) {
  const share = known && `known to ${percent(known.own_share)}, from ${duration(known.learned_seconds)}`;
  const text = known && (known.own_share < ownShareMin ? `not learned yet: ${share}` : share);
  const meter = known && bar(`${name}, known`, known.own_share, { class: 'learned' });
  return h('div', h('dt.hint', name), h('dd.line', value, meter, text && h('span.hint', text)));
}

/** Returns the newest time of which the service has learned something, epoch ms. */
function newestOf({ baseline }: SubjectProfile, { triggers }: TriggerProfile): number | undefined {
  const { heart_rate, sdnn, rmssd } = baseline;
  const measured = [heart_rate, sdnn, rmssd].flatMap((it) => it?.latest.timestamp ?? []);
  const times = [...measured, ...Object.values(triggers).map((it) => it.last_seen)].map(Date.parse);
  return times.length === 0 ? undefined : Math.max(...times);
}
