import { scoreMax } from '../../../generated/spec.js';
import type { SessionState } from '../../client/src/index.js';
import { nowMs } from './clock.js';
import { activity, capitalized, hasEnded, whenShort, words } from './format.js';
import { sessionLink, personLink } from './router.js';
import { arrange, h, setText, smallButton, svg } from './dom.js';
import { reasonOf } from './service.js';
import { isRising, type KnownSession, type Query, type ScoreAt, type Sessions } from './sessions.js';

const orders = { score: 'Highest score', activity: 'Latest reading', started: 'Latest start' } as const;
/** Rows that are shown at first, and that the button adds. The service has 50 sessions per page. */
const rowsStep = 100;
/** Shortest time between two changes of the order, ms. Rows that move all the time cannot be read. */
const orderMs = 3_000;
/** Pause before a typed filter is requested, ms. */
const typingMs = 400;

/** Returns the list of sessions with its filters. Rows keep their focus, and their place while they are used. */
export function createSessionList(sessions: Sessions, onFilter: () => void) {
  const rows = new Map<string, ReturnType<typeof createRow>>();
  const heads = ['Live now', 'Ended'].map((name) => h('li', { class: 'group' }, h('h3', {}, name)));
  let query: Query = { states: new Set(), sort: 'score', text: '' };
  let selected: string | undefined;
  let shownMax: number = rowsStep;
  let order: readonly string[] = [];
  let orderedMs = Number.NEGATIVE_INFINITY;
  let typing: ReturnType<typeof setTimeout> | undefined;

  const list = h('ul', { class: 'rows' });
  const text = h('input', {
    type: 'search',
    placeholder: 'Search a session or a person',
    'aria-label': 'Search a session or a person',
    oninput: () => {
      clearTimeout(typing);
      typing = setTimeout(search, typingMs);
    },
  });
  const sort = h(
    'select',
    { 'aria-label': 'Sort by', onchange: () => change({ sort: sort.value as Query['sort'] }) },
    ...Object.entries(orders).map(([value, name]) => h('option', { value }, name)),
  );
  const all = smallButton('', () => change({ states: new Set() }));
  const empty = h('p', { class: 'hint empty' });
  const fault = h('p', { class: 'fault', role: 'alert' });
  const more = smallButton('Show more', () => void showMore());
  const filters = h('form', { class: 'list-filter', role: 'search' }, text, sort);
  const columns = ['Score', 'Session', 'State', '', 'Last scores', 'Last reading', 'Person'];
  const element = h(
    'section',
    { class: 'sessions', 'aria-labelledby': 'sessions-title' },
    h('div', { class: 'list-head' }, h('h2', { id: 'sessions-title' }, 'Sessions'), all, filters),
    h('div', { class: 'columns', 'aria-hidden': 'true' }, ...columns.map((it) => h('span', {}, it))),
    list,
    empty,
    fault,
    more,
  );
  /** Enter opens the first result, or the session with the typed id, which the page may not know. */
  filters.addEventListener('submit', (event) => {
    event.preventDefault();
    search();
    const id = sessions.list(query)[0]?.session_id ?? query.text;
    if (query.text !== '') location.hash = sessionLink(id);
  });
  const search = () => {
    clearTimeout(typing);
    change({ text: text.value.trim() });
  };

  const request = async (work: Promise<void>) => {
    await work.then(
      () => setText(fault, ''),
      (error: unknown) => setText(fault, reasonOf(error)),
    );
    update();
  };
  const change = (part: Partial<Query>) => {
    query = { ...query, ...part };
    shownMax = rowsStep;
    orderedMs = Number.NEGATIVE_INFINITY;
    onFilter();
    update();
    void request(sessions.ensure(query));
  };
  const showMore = () => {
    shownMax += rowsStep;
    // The button is never disabled, because it would lose its focus.
    return request(loadUpTo(shownMax));
  };
  /** Requests pages until enough sessions are known: a page has fewer sessions than are added at once. */
  const loadUpTo = async (count: number) => {
    while (sessions.list(query).length < count && sessions.hasMore(query)) await sessions.loadMore(query);
  };
  const rowOf = (id: string) => {
    const row = rows.get(id) ?? createRow(id);
    rows.set(id, row);
    return row;
  };
  /** Returns the sessions in the present order of the rows, unless the order may change. */
  const inOrder = (found: readonly KnownSession[]): readonly KnownSession[] => {
    const isStable = performance.now() - orderedMs < orderMs || list.matches(':hover, :focus-within');
    const places = new Map(order.map((id, index) => [id, index]));
    const isKnown = found.every(({ session_id }) => places.has(session_id));
    if (isStable && isKnown) {
      const placeOf = ({ session_id }: KnownSession) => places.get(session_id) ?? 0;
      return [...found].sort((a, b) => placeOf(a) - placeOf(b));
    }
    if (!isStable) orderedMs = performance.now();
    order = found.map(({ session_id }) => session_id);
    return found;
  };
  const update = () => {
    const now = nowMs();
    const found = inOrder(sessions.list(query));
    const shown = found.slice(0, shownMax);
    const [ended, live] = [true, false].map((isOver) => shown.filter((it) => hasEnded(it.atMs, now) === isOver));
    const groups = query.sort === 'score' ? [live, ended] : [shown];
    const elements = groups.flatMap((group = [], index) => {
      const rows = group.map((session) => {
        const row = rowOf(session.session_id);
        row.show(session, session.session_id === selected, now);
        return row.element;
      });
      const head = heads[index];
      return query.sort === 'score' && head && rows.length > 0 ? [head, ...rows] : rows;
    });
    arrange(list, elements);
    more.hidden = found.length <= shownMax && !sessions.hasMore(query);
    empty.hidden = found.length > 0;
    showEmpty(empty, query);
    all.hidden = query.states.size === 0;
    setText(all, `Only ${[...query.states].map(words).join(' and ')} ×`);
    all.ariaLabel = 'Show all states';
  };
  void request(sessions.ensure(query));
  return {
    element,
    get states() {
      return query.states;
    },
    /** Shows only sessions in these states. All sessions if the set is empty. */
    filter: (states: ReadonlySet<SessionState>) => change({ states }),
    update(id: string | undefined) {
      selected = id;
      update();
    },
  };
}

/** Says that there is no session. The page does not know all sessions of a large account, so it links to the typed id. */
function showEmpty(empty: HTMLElement, { text, states }: Query): void {
  const isFiltered = text !== '' || states.size > 0;
  const said = isFiltered ? 'No session matches. ' : 'No sessions yet. Send readings from your app, or ';
  if (empty.firstChild?.textContent === said && empty.dataset['text'] === text) return;
  empty.dataset['text'] = text;
  const links = [h('a', { href: sessionLink(text) }, `Open session ${text}`), ' · ', personOf(text)];
  empty.replaceChildren(said, ...(text !== '' ? links : isFiltered ? [] : [h('a', { href: '#/try' }, 'play a scene')]));
}

function personOf(id: string): HTMLElement {
  return h('a', { href: personLink(id) }, `Open person ${id}`);
}

function createRow(id: string) {
  const [score, name, since] = [h('span', { class: 'score-chip' }), h('span', {}), h('span', { class: 'since' })];
  const state = h('span', { class: 'state-name' }, name, since);
  const [rising, passed] = [h('span', { class: 'rising' }), h('span', { class: 'hint passed' })];
  const line = createSparkline();
  const link = h('a', { class: 'name', href: sessionLink(id) }, h('strong', {}, id));
  const person = h('a', { class: 'person', hidden: true });
  const element = h('li', {}, score, link, state, rising, line.element, passed, person);
  let shown: KnownSession | undefined;
  return {
    element,
    show(session: KnownSession, isSelected: boolean, now: number) {
      const isOver = hasEnded(session.atMs, now);
      setText(passed, activity(session.atMs, now));
      link.ariaCurrent = isSelected ? 'page' : null;
      element.className = isOver ? 'ended' : session.state;
      setText(name, isOver ? `last ${words(session.state)}` : capitalized(words(session.state)));
      setText(since, isOver ? '' : ` since ${whenShort(session.sinceMs, now)}`);
      setText(rising, !isOver && isRising(session, now) ? '↗ rising' : '');
      if (shown === session) return;
      shown = session;
      setText(score, String(session.stress_score));
      line.draw(session.recent);
      person.hidden = session.subject_id === undefined;
      person.href = personLink(session.subject_id ?? '');
      setText(person, session.subject_id ?? '');
      person.ariaLabel = `Person ${session.subject_id ?? ''}`;
    },
  };
}

const size = { width: 96, height: 28, margin: 3 };

/** Returns a small chart of the newest scores, from the lowest to the highest possible score. */
function createSparkline() {
  const path = svg('path', {});
  const dot = svg('circle', { r: 2.5 });
  const element = svg(
    'svg',
    { class: 'sparkline', viewBox: `0 0 ${size.width} ${size.height}`, 'aria-hidden': 'true' },
    path,
    dot,
  );
  return {
    element,
    draw(recent: readonly ScoreAt[]) {
      const [first, last] = [recent[0]?.atMs ?? 0, recent.at(-1)?.atMs ?? 0];
      const inner = { width: size.width - 2 * size.margin, height: size.height - 2 * size.margin };
      const x = (atMs: number) => size.margin + inner.width * (last === first ? 1 : (atMs - first) / (last - first));
      const y = (score: number) => size.margin + inner.height * (1 - score / scoreMax);
      const places = recent.map(({ atMs, score }) => `${x(atMs).toFixed(1)} ${y(score).toFixed(1)}`);
      path.setAttribute('d', places.length > 1 ? `M${places.join('L')}` : '');
      dot.setAttribute('cx', x(last).toFixed(1));
      dot.setAttribute('cy', y(recent.at(-1)?.score ?? 0).toFixed(1));
      dot.toggleAttribute('hidden', recent.length === 0);
    },
  };
}
