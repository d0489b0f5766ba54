import type { SummaryRow, TriggerProfile } from '../../client/src/index.js';
import { enums } from '../../../generated/spec.js';
import { createAgreementView } from './agreement.js';
import { createCredentials } from './credentials.js';
import { type Content, h, show } from '../../ui/dom.js';
import { count, words } from '../../ui/format.js';
import { nameOf } from './names.js';
import { button, createSelect, createStatus, optional, pageHead } from '../../ui/parts.js';
import { periodAt } from '../../sentence/calendar.js';
import { measureStress } from '../../sentence/usual.js';
import { describeStress, loadDays } from './person/hours.js';
import { personLink } from './router.js';
import { everySecond, nowMs, reasonOf, type Service } from './service.js';
import { groupRows, listHead, listRow, moveByKeys, openPerson } from './session-list.js';
import * as known from './sessions.js';

/** Returns the weekday with most of the stress of days. Undefined if no day of several has more than half of it. */
function findMost(days: readonly SummaryRow[]): string | undefined {
  const secondsOf = (rows: readonly SummaryRow[]) => measureStress(rows).seconds;
  const day = days.length > 1 ? days.find((it) => secondsOf([it]) > secondsOf(days) / 2) : undefined;
  const zone = { weekday: 'short', timeZone: 'UTC' } as const;
  return day?.date && new Date(day.date).toLocaleDateString('en', zone);
}

/** People that are shown at first, and that the button adds. Each of them takes two requests. */
const step = 25;
const orders = [
  ['attention', 'Attention first'],
  ['activity', 'Latest reading'],
  ['name', 'Name'],
] as const;
const explain = 'No person matches. A person appears with the first reading that has their subject_id.';
/** A person with the session of their newest reading. */
type Person = readonly [id: string, session: known.KnownSession];

/**
 * Returns the people with their present state, those that need attention first, the time that they were stressed in the last
 * seven days, and their triggers.
 */
export function createPeoplePage(service: Service, sessions: known.Sessions, signal: AbortSignal): HTMLElement {
  /** The time of stress and the active triggers of a person, once they are requested. */
  const weeks = new Map<string, readonly Content[]>();
  const [note, found] = [createStatus('p.notice'), h('h2')];
  const rows = h('ul.rows');
  const agreement = createAgreementView(() => service.agreement({ signal }), 'person', signal);
  const summary = h('summary', h('h2', 'Agreement with reports'), ' ', agreement.line);
  let shownMax = step;
  const change = () => {
    shownMax = step;
    update(true);
  };
  const name = 'Search, or enter a new id';
  const search = h('input', {
    type: 'search',
    placeholder: 'Search',
    title: name,
    'aria-label': name,
    oninput: change,
  });
  const states = optional('All states', enums.SessionState);
  const state = createSelect(states, { 'aria-label': 'State', onchange: change });
  const sort = createSelect(orders, { 'aria-label': 'Sort by', onchange: change });
  /** Enter opens the first result, or the person with the typed id, who may be new. */
  const onsubmit = (event: Event) => {
    event.preventDefault();
    const [first] = listPeople();
    const id = first?.[0] ?? search.value.trim();
    if (id !== '') location.hash = personLink(id);
  };
  const filters = h('form.filters', { role: 'search', onsubmit }, search, state, sort);
  const heads = listHead('Person', 'Stress in seven days', 'Active triggers');
  const none = h('p.hint');
  const list = h('section.card.sessions', h('div.line.between', found, filters), heads, rows, none);
  const more = button('Show more', () => {
    shownMax += step;
    update(true);
    if (sessions.hasMore(known.allSessions)) void sessions.loadMore(known.allSessions).then(() => update());
  });

  const load = async (id: string) => {
    weeks.set(id, []);
    const [{ active }, days] = await Promise.all([
      service.triggers(id, { signal }).catch((): Pick<TriggerProfile, 'active'> => ({ active: [] })),
      loadDays(service, id, periodAt('week', new Date(nowMs())), signal).catch(() => undefined),
    ]);
    const stress = days?.length ? describeStress(days) || '0 min of stress' : '–';
    const [figure, of] = stress.split(' of stress');
    const most = days && findMost(days);
    weeks.set(id, [
      [
        figure,
        of === '' && h('span.unit', ' of stress'),
        most ? `, most on ${most}` : days && h('span.unit', ' in 7 days'),
      ],
      active.map(words).join(', ') || '–',
    ]);
    update();
  };
  /** Returns the people that match, sorted. */
  const listPeople = (): Person[] => {
    const [now, newest] = [nowMs(), new Map<string, known.KnownSession>()];
    for (const session of sessions.list(known.allSessions))
      if (session.subject_id !== undefined && !newest.has(session.subject_id)) newest.set(session.subject_id, session);
    const isShown = ([id, session]: Person) =>
      known.matches(id, search.value.trim()) && (state.value === '' || known.stateOf(session, now) === state.value);
    const compare = {
      attention: ([, a]: Person, [, b]: Person) => known.scoreRank(b, now) - known.scoreRank(a, now),
      activity: ([, a]: Person, [, b]: Person) => b.atMs - a.atMs,
      name: ([a]: Person, [b]: Person) => nameOf(a).localeCompare(nameOf(b), 'en', { numeric: true }),
    }[sort.value as (typeof orders)[number][0]];
    return [...newest].filter(isShown).sort(compare);
  };
  const update = (isForced = false) => {
    if (!isForced && rows.matches(':hover, :focus-within')) return;
    const [now, people] = [nowMs(), listPeople()];
    const shown = people.slice(0, shownMax);
    for (const [id] of shown) if (!weeks.has(id)) void load(id);
    more.hidden = people.length <= shownMax && !sessions.hasMore(known.allSessions);
    const typed = search.value.trim();
    show(
      none,
      people.length === 0 && [typed === '' ? explain : 'No person matches. ', typed !== '' && openPerson(typed)],
    );
    const stressed = people.filter(([, session]) => /stress/.test(known.stateOf(session, now))).length;
    show(found, `${count(people.length, 'person', 'people')}, ${stressed} stressed now`);
    const rowOf = ([id, session]: Person) =>
      listRow(id, { href: personLink(id) }, session, now, ...(weeks.get(id) ?? []).map((it) => h('span.week.cut', it)));
    const isGrouped = sort.value === 'attention';
    show(rows, isGrouped ? groupRows(shown, ([, session]) => session, rowOf, now) : shown.map(rowOf));
  };
  const start = async () => {
    await sessions.ensure(known.allSessions);
    note.say('');
    update();
  };
  note.say('Loading …');
  start().catch((error: unknown) => note.say(reasonOf(error)));
  void agreement.load();
  everySecond(signal, update);
  moveByKeys(rows, search, signal);
  return h(
    'article.page.people',
    pageHead('People'),
    note.element,
    list,
    more,
    h('p.hint', 'The stress of seven days contains imported readings. Score and last reading do not.'),
    h('details.card.agreement-home', summary, agreement.detail),
    createCredentials(service, signal),
  );
}
