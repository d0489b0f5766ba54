import { scoreMax } from '../../../generated/spec.js';
import type { SessionState } from '../../client/src/index.js';
import { nowMs } from './clock.js';
import { activity, hasEnded, words } from './format.js';
import { sessionLink, personLink } from './router.js';
import { h, setText, svg } from './dom.js';
import { reasonOf } from './service.js';
import { isRising, type KnownSession, type Query, type ScoreAt, type Sessions } from './sessions.js';

export interface SessionList {
  readonly element: HTMLElement;
  /** Shows only sessions in these states. All sessions if the set is empty. */
  filter(states: ReadonlySet<SessionState>): void;
  readonly states: ReadonlySet<SessionState>;
  /** Shows the current sessions. `selected` is the open one. */
  update(selected: string | undefined): void;
}

interface Row {
  readonly element: HTMLLIElement;
  show(session: KnownSession, isSelected: boolean, now: number): void;
}

const orders = { score: 'Highest score', activity: 'Latest reading', started: 'Latest start' } as const;
/** Rows that are shown at first, and that the button adds. The service has 50 sessions per page. */
const rowsStep = 100;
/** Shortest time between two changes of the order, ms. Rows that move all the time cannot be read. */
const orderMs = 3_000;
/** Pause before a typed filter is requested, ms. */
const typingMs = 400;

/** Returns the list of sessions with its filters. Rows keep their focus, and their place while they are used. */
export function createSessionList(sessions: Sessions, onFilter: () => void): SessionList {
  const rows = new Map<string, Row>();
  let query: Query = { states: new Set(), sort: 'score', text: '' };
  let selected: string | undefined;
  let shownMax: number = rowsStep;
  let order: readonly string[] = [];
  let orderedMs = Number.NEGATIVE_INFINITY;
  let typing: ReturnType<typeof setTimeout> | undefined;

  const list = h('ul', { class: 'rows' });
  const text = h('input', {
    type: 'search',
    placeholder: 'Session or person',
    'aria-label': 'Filter by session or person',
    oninput: () => {
      clearTimeout(typing);
      typing = setTimeout(() => change({ text: text.value.trim() }), typingMs);
    },
  });
  const sort = h(
    'select',
    { 'aria-label': 'Sort by', onchange: () => change({ sort: sort.value as Query['sort'] }) },
    ...Object.entries(orders).map(([value, name]) => h('option', { value }, name)),
  );
  const all = h('button', { type: 'button', class: 'secondary small', onclick: () => change({ states: new Set() }) });
  const empty = h('p', { class: 'hint empty' });
  const fault = h('p', { class: 'fault', role: 'alert' });
  const more = h('button', { type: 'button', class: 'secondary small', onclick: () => void showMore() }, 'Show more');
  const element = h(
    'section',
    { class: 'sessions', 'aria-labelledby': 'sessions-title' },
    h(
      'div',
      { class: 'list-head' },
      h('h2', { id: 'sessions-title' }, 'Sessions'),
      h('div', { class: 'list-filter' }, text, sort),
      all,
    ),
    list,
    empty,
    fault,
    more,
  );

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
    const elements = found.slice(0, shownMax).map((session) => {
      const row = rowOf(session.session_id);
      row.show(session, session.session_id === selected, now);
      return row.element;
    });
    arrange(list, elements);
    more.hidden = found.length <= shownMax && !sessions.hasMore(query);
    empty.hidden = found.length > 0;
    const isFiltered = query.text !== '' || query.states.size > 0;
    setText(empty, isFiltered ? 'No session matches.' : 'No sessions yet.');
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
    filter: (states) => change({ states }),
    update(id) {
      selected = id;
      update();
    },
  };
}

/** Puts the elements in this order. An element that keeps its place is not moved, because it would lose its focus. */
function arrange(list: HTMLElement, elements: readonly HTMLElement[]): void {
  const kept = new Set(elements);
  for (const child of [...list.children]) if (!kept.has(child as HTMLElement)) child.remove();
  elements.forEach((element, index) => {
    const present = list.children[index];
    if (present === element) return;
    if (present) present.before(element);
    else list.append(element);
  });
}

function createRow(id: string): Row {
  const score = h('span', { class: 'score-chip' });
  const state = h('span', { class: 'state-name' });
  const rising = h('span', { class: 'rising' });
  const passed = h('span', { class: 'hint passed' });
  const line = createSparkline();
  const link = h(
    'a',
    { href: sessionLink(id) },
    score,
    h('span', { class: 'row-text' }, h('strong', {}, id), h('span', { class: 'row-line' }, state, rising, passed)),
    line.element,
  );
  const person = h('a', { class: 'person', hidden: true });
  const element = h('li', {}, link, person);
  let shown: KnownSession | undefined;
  return {
    element,
    show(session, isSelected, now) {
      const isOver = hasEnded(session.atMs, now);
      setText(passed, activity(session.atMs, now));
      link.ariaCurrent = isSelected ? 'page' : null;
      element.className = isOver ? 'ended' : session.state;
      setText(state, isOver ? `last ${words(session.state)}` : words(session.state));
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
