import type { TriggerProfile } from '../../client/src/index.js';
import { createAgreementView } from './agreement.js';
import { type Content, h, show } from './dom.js';
import { age, hasEnded, words } from './format.js';
import { button, createStatus, createTable } from './parts.js';
import { periodAt } from './person/calendar.js';
import { duration, sumSeconds } from './person/hours.js';
import { loadDays } from './person/load-hours.js';
import { personLink } from './router.js';
import { everySecond, nowMs, reasonOf, type Service } from './service.js';
import { stateSince } from './session-list.js';
import { everySession, type KnownSession, type Sessions } from './sessions.js';

/** People that are shown at first, and that the button adds. Each of them takes two requests. */
const step = 25;

/** What the page requests of a person. */
interface Week {
  readonly stressed: string;
  readonly triggers: string;
}

/** Returns the people with their present state, the time that they were stressed in the last seven days, and their triggers. */
export function createPeoplePage(service: Service, sessions: Sessions) {
  const closed = new AbortController();
  const { signal } = closed;
  const weeks = new Map<string, Week>();
  const heads = ['Score', 'Person', 'State now', 'Last seen', 'Stressed, 7 days', 'Active triggers'];
  const table = createTable('People', heads, 'list-table');
  const note = createStatus('p.notice');
  const agreement = createAgreementView(() => service.agreement({ signal }), 'person', signal);
  const summary = h('summary', h('h2', 'Agreement with reports'), ' ', agreement.line);
  let shownMax = step;
  const more = button('Show more', () => {
    shownMax += step;
    update();
  });

  const load = async (id: string) => {
    weeks.set(id, { stressed: '', triggers: '' });
    const [{ active }, days] = await Promise.all([
      service.triggers(id, { signal }).catch((): Pick<TriggerProfile, 'active'> => ({ active: [] })),
      loadDays(service, id, periodAt('week', new Date(nowMs())), signal).catch(() => undefined),
    ]);
    const { stressed, acute_stress } = sumSeconds(days ?? []);
    const shown = days ? duration(stressed + acute_stress) : '–';
    weeks.set(id, { stressed: shown, triggers: active.map(words).join(', ') || '–' });
    update();
  };
  const update = () => {
    const newest = new Map<string, KnownSession>();
    for (const session of sessions.list(everySession))
      if (session.subject_id !== undefined && !newest.has(session.subject_id)) newest.set(session.subject_id, session);
    const shown = [...newest].slice(0, shownMax);
    for (const [id] of shown) if (!weeks.has(id)) void load(id);
    if (!table.body.matches(':focus-within'))
      show(table.body, ...shown.map(([id, session]) => personRow(id, session, weeks.get(id))));
    more.hidden = newest.size <= shownMax;
    table.element.hidden = newest.size === 0;
    note.element.hidden = newest.size > 0;
  };
  const start = async () => {
    await sessions.ensure(everySession);
    note.say('No session names a person. Send readings with a subject_id.');
    update();
  };
  note.say('Loading …');
  start().catch((error: unknown) => note.say(reasonOf(error)));
  void agreement.load();
  everySecond(signal, update);
  return {
    element: h(
      'article.page.people',
      h('header.line', h('h1', { tabindex: -1 }, 'People')),
      note.element,
      table.element,
      more,
      h('details.card.agreement-home', summary, agreement.detail),
    ),
    close: () => closed.abort(),
  };
}

function personRow(id: string, session: KnownSession, week: Week | undefined) {
  const now = nowMs();
  const isOver = hasEnded(session.atMs, now);
  const cells: Content[] = [
    isOver ? 'Not live' : stateSince(session, now),
    age(session.atMs, now),
    week?.stressed,
    week?.triggers,
  ];
  return h(
    'tr',
    { key: id, class: isOver ? 'ended' : session.state },
    h('td', h('span.score-chip', session.stress_score)),
    h('th', { scope: 'row' }, h('a.name', { href: personLink(id) }, id)),
    cells.map((it) => h('td', it)),
  );
}
