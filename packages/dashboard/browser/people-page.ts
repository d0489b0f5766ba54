import type { TriggerProfile } from '../../client/src/index.js';
import { nowMs } from './clock.js';
import { arrange, h, setText, smallButton } from './dom.js';
import { createAgreementView } from './feedback/agreement.js';
import { activity, capitalized, hasEnded, whenShort, words } from './format.js';
import { periodAt } from './person/calendar.js';
import { duration, sumSeconds } from './person/hours.js';
import { loadDays } from './person/load-hours.js';
import { personLink } from './router.js';
import { reasonOf, type Service } from './service.js';
import type { KnownSession, Sessions } from './sessions.js';

const everySession = { states: new Set<never>(), sort: 'activity', text: '' } as const;
/** People that are shown at first, and that the button adds. Each of them takes two requests. */
const step = 25;
const tickMs = 1_000;

/** Returns the people with their present state, the time that they were stressed in the last seven days, and their triggers. */
export function createPeoplePage(service: Service, sessions: Sessions) {
  const closed = new AbortController();
  const { signal } = closed;
  const rows = new Map<string, ReturnType<typeof createRow>>();
  const body = h('tbody', {});
  const note = h('p', { class: 'notice', role: 'status' }, 'Loading …');
  const more = smallButton('Show more', () => {
    shownMax += step;
    update();
  });
  const agreement = createAgreementView(() => service.agreement({ signal }), 'person', signal);
  const heads = ['Score', 'Person', 'State now', 'Last seen', 'Stressed, 7 days', 'Active triggers'];
  const head = h('tr', {}, ...heads.map((it) => h('th', { scope: 'col' }, it)));
  const table = h('table', { class: 'list-table' }, h('thead', {}, head), body);
  const summary = h('summary', {}, h('h2', {}, 'Agreement with reports'), agreement.line);
  let shownMax = step;

  const update = () => {
    const newest = new Map<string, KnownSession>();
    for (const session of sessions.list(everySession)) {
      const id = session.subject_id;
      if (id !== undefined && !newest.has(id)) newest.set(id, session);
    }
    const shown = [...newest].slice(0, shownMax).map(([id, session]) => {
      const row = rows.get(id) ?? createRow(service, id, signal);
      rows.set(id, row);
      row.show(session, nowMs());
      return row.element;
    });
    if (!body.matches(':focus-within')) arrange(body, shown);
    more.hidden = newest.size <= shownMax;
    table.hidden = newest.size === 0;
    note.hidden = newest.size > 0;
  };
  const load = async () => {
    await sessions.ensure(everySession);
    setText(note, 'No session names a person. Send readings with a subject_id.');
    update();
  };
  load().catch((error: unknown) => setText(note, reasonOf(error)));
  void agreement.load();
  const timer = setInterval(update, tickMs);
  return {
    element: h(
      'article',
      { class: 'page people' },
      h('header', {}, h('h1', { tabindex: -1 }, 'People')),
      note,
      h('div', { class: 'scrolled', tabindex: 0, role: 'region', 'aria-label': 'People' }, table),
      more,
      h('details', { class: 'card agreement-home' }, summary, agreement.detail),
    ),
    close() {
      closed.abort();
      clearInterval(timer);
    },
  };
}

/** Creates the row of a person, and requests the last seven days and the triggers. */
function createRow(service: Service, id: string, signal: AbortSignal) {
  const [score, name, since] = [h('span', { class: 'score-chip' }), h('span', {}), h('span', { class: 'since' })];
  const cells = [h('td', {}), h('td', {}), h('td', {})] as const;
  const [seen, stressed, triggers] = cells;
  const link = h('a', { class: 'name', href: personLink(id) }, id);
  const element = h('tr', {}, h('td', {}, score), h('th', { scope: 'row' }, link), h('td', {}, name, since), ...cells);
  const week = periodAt('week', new Date(nowMs()));
  const load = async () => {
    const [profile, hours] = await Promise.all([
      service.triggers(id, { signal }).catch((): Pick<TriggerProfile, 'active'> => ({ active: [] })),
      loadDays(service, id, week, Intl.DateTimeFormat().resolvedOptions().timeZone, signal),
    ]);
    const seconds = sumSeconds(hours);
    setText(triggers, profile.active.map(words).join(', ') || '–');
    setText(stressed, duration(seconds.stressed + seconds.acute_stress));
  };
  load().catch(() => setText(stressed, '–'));
  return {
    element,
    show(session: KnownSession, now: number) {
      const isOver = hasEnded(session.atMs, now);
      element.className = isOver ? 'ended' : session.state;
      setText(score, String(session.stress_score));
      setText(name, isOver ? 'Not live' : capitalized(words(session.state)));
      setText(since, isOver ? '' : ` since ${whenShort(session.sinceMs, now)}`);
      setText(seen, activity(session.atMs, now).replace('ended ', ''));
    },
  };
}
