import type { TriggerProfile } from '../../client/src/index.js';
import { createAgreementView } from './agreement.js';
import { h, show } from './dom.js';
import { words } from './format.js';
import { button, createField, createStatus, pageHead } from './parts.js';
import { periodAt } from './person/calendar.js';
import { describeStress, loadDays, sumSeconds } from './person/hours.js';
import { personLink } from './router.js';
import { everySecond, nowMs, reasonOf, type Service } from './service.js';
import { listHead, listRow } from './session-list.js';
import { everySession, type KnownSession, scoreRank, type Sessions } from './sessions.js';

/** People that are shown at first, and that the button adds. Each of them takes two requests. */
const step = 25;

/** Returns the people with their present state, highest score first, the time that they were stressed in the last seven days, and their triggers. */
export function createPeoplePage(service: Service, sessions: Sessions, signal: AbortSignal): HTMLElement {
  /** The time of stress and the active triggers of a person, once they are requested. */
  const weeks = new Map<string, readonly string[]>();
  const note = createStatus('p.notice');
  const rows = h('ul.rows');
  const list = h(
    'section.card.sessions',
    { hidden: true },
    listHead('Person', 'Last seven days', 'Active triggers'),
    rows,
  );
  const agreement = createAgreementView(() => service.agreement({ signal }), 'person', signal);
  const summary = h('summary', h('h2', 'Agreement with reports'), ' ', agreement.line);
  let shownMax = step;
  const more = button('Show more', () => {
    shownMax += step;
    update();
  });

  const id = h('input', { type: 'text', autocomplete: 'off', spellcheck: 'false', required: true });
  const onsubmit = (event: Event) => {
    event.preventDefault();
    location.hash = personLink(id.value.trim());
  };
  const field = createField('Person by id', id, 'Also a new person, e.g. to connect a phone.');
  const open = h('form.opener', { onsubmit }, field.element, h('button.secondary', { type: 'submit' }, 'Open'));

  const load = async (id: string) => {
    weeks.set(id, []);
    const [{ active }, days] = await Promise.all([
      service.triggers(id, { signal }).catch((): Pick<TriggerProfile, 'active'> => ({ active: [] })),
      loadDays(service, id, periodAt('week', new Date(nowMs())), signal).catch(() => undefined),
    ]);
    const stress = days?.length ? describeStress(sumSeconds(days)) || '0 min of stress' : '–';
    weeks.set(id, [stress, active.map(words).join(', ') || '–']);
    update();
  };
  const update = () => {
    const newest = new Map<string, KnownSession>();
    for (const session of sessions.list(everySession))
      if (session.subject_id !== undefined && !newest.has(session.subject_id)) newest.set(session.subject_id, session);
    const now = nowMs();
    const shown = [...newest].sort(([, a], [, b]) => scoreRank(b, now) - scoreRank(a, now)).slice(0, shownMax);
    for (const [id] of shown) if (!weeks.has(id)) void load(id);
    more.hidden = newest.size <= shownMax;
    list.hidden = newest.size === 0;
    note.element.hidden = newest.size > 0;
    const rowOf = ([id, session]: readonly [string, KnownSession]) => {
      const link = h('a.name', { href: personLink(id) }, h('strong', id));
      return listRow(link, session, now, ...(weeks.get(id) ?? []).map((it) => h('span.week', it)));
    };
    if (!rows.matches(':focus-within')) show(rows, ...shown.map(rowOf));
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
  return h(
    'article.page.people',
    pageHead('People'),
    note.element,
    list,
    more,
    h('p.hint', 'The stress of seven days contains imported readings. Score and last reading do not.'),
    h('details.card.agreement-home', summary, agreement.detail),
    open,
  );
}
