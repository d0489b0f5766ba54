import { enums, scoreMax } from '../../../generated/spec.js';
import type { SessionState } from '../../client/src/index.js';
import * as plot from './chart/plot.js';
import { type Attributes, type Content, h, show } from '../../ui/dom.js';
import { age, count, hasEnded, label, shownState, sum, whenShort, words } from '../../ui/format.js';
import { say } from '../../sentence/messages.js';
import { confidenceMin } from '../../sentence/sentence.js';
import { nameOf } from './names.js';
import { button, controlledCard, createSelect } from '../../ui/parts.js';
import { sessionLink, personLink } from './router.js';
import { nowMs, reasonOf } from './service.js';
import {
  attentionRule,
  allSessions,
  isRising,
  type KnownSession,
  needsAttention,
  type Query,
  type Sessions,
  stateOf,
} from './sessions.js';

const orders = [
  ['score', 'Attention first'],
  ['activity', 'Latest reading'],
  ['started', 'Latest start'],
] as const;
/** Rows that are shown at first, and that the button adds. The service has 50 sessions per page. */
const rowsStep = 100;
/** Shortest time between two changes of the order, ms. Rows that move all the time cannot be read. */
const orderMs = 3_000;
/** Pause before a typed filter is requested, ms. */
const typingMs = 400;

/** Returns the list of sessions with its filters. Rows keep their focus, and their place while they are used. */
export function createSessionList(sessions: Sessions, onFilter: () => void, signal: AbortSignal) {
  let query: Query = { ...allSessions, sort: 'score' };
  let selected: string | undefined;
  let shownMax = rowsStep;
  let order: readonly string[] = [];
  let orderedMs = Number.NEGATIVE_INFINITY;
  let typing: ReturnType<typeof setTimeout> | undefined;
  const drawn = new Map<string, { readonly session: KnownSession; readonly variable: string }>();

  const searchLater = () => {
    clearTimeout(typing);
    typing = setTimeout(search, typingMs);
  };
  const search = () => {
    clearTimeout(typing);
    change({ text: text.value.trim() });
  };
  const name = 'Search a session or a person';
  const text = h('input', {
    type: 'search',
    placeholder: 'Search',
    title: name,
    'aria-label': name,
    oninput: searchLater,
  });
  const onchange = () => change({ sort: sort.value as Query['sort'] });
  const sort = createSelect(orders, { 'aria-label': 'Sort by', onchange });
  /** Enter opens the first result, or the session with the typed id, which the page may not know. */
  const onsubmit = (event: Event) => {
    event.preventDefault();
    search();
    if (query.text !== '') location.hash = sessionLink(sessions.list(query)[0]?.session_id ?? query.text);
  };
  const [list, only, empty] = [h('ul.rows'), h('span'), h('p.hint')];
  const fault = h('div.fault', { role: 'alert' });
  const more = button('Show more', () => void showMore());
  const filters = h('form.filters', { role: 'search', onsubmit }, text, sort);
  const head = listHead('Session', 'Last scores', 'Person');
  const element = controlledCard('Sessions', [only, filters], head, list, empty, fault, more);
  element.classList.add('sessions');
  const request = async (work: Promise<void>) => {
    await work.then(
      () => show(fault),
      (error: unknown) => show(fault, reasonOf(error)),
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
  const loadUpTo = async (wanted: number) => {
    while (sessions.list(query).length < wanted && sessions.hasMore(query)) await sessions.loadMore(query);
  };
  /** Returns the sessions in the present order of the rows, unless the order may change. */
  const inOrder = (found: readonly KnownSession[]): readonly KnownSession[] => {
    const isStable = performance.now() - orderedMs < orderMs || list.matches(':hover, :focus-within');
    const places = new Map(order.map((id, index) => [id, index]));
    const placeOf = ({ session_id }: KnownSession) => places.get(session_id) ?? 0;
    if (isStable && found.every(({ session_id }) => places.has(session_id)))
      return found.toSorted((a, b) => placeOf(a) - placeOf(b));
    if (!isStable) orderedMs = performance.now();
    order = found.map(({ session_id }) => session_id);
    return found;
  };
  const update = () => {
    const now = nowMs();
    const found = inOrder(sessions.list(query));
    const present = new Map([...list.children].map((it) => [it.getAttribute('data-key'), it]));
    /** Draws a row again only if it changes: a list may have hundreds of them. */
    const rowOf = (session: KnownSession) => {
      const { session_id: id, atMs } = session;
      const seen = [id === selected, hasEnded(atMs, now), age(atMs, now), isRising(session, now)];
      const variable = [...seen, nameOf(id)].join();
      const last = drawn.get(id);
      const row = last?.session === session && last.variable === variable && present.get(id);
      drawn.set(id, { session, variable });
      return row || sessionRow(session, id === selected, now);
    };
    const shown = found.slice(0, shownMax);
    show(list, query.sort === 'score' ? groupRows(shown, (it) => it, rowOf, now) : shown.map(rowOf));
    more.hidden = found.length <= shownMax && !sessions.hasMore(query);
    show(empty, found.length === 0 && explainEmpty(query));
    const states = [...query.states].map(words).join(' and ');
    const all = () => button(`Only ${states} ×`, () => change({ states: new Set() }), { title: 'Show all states' });
    show(only, states !== '' && all());
  };
  void request(sessions.ensure(query));
  moveByKeys(list, text, signal);
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
function explainEmpty({ text, states }: Query) {
  if (text !== '') {
    const session = h('a', { href: sessionLink(text) }, `Open session ${text}`);
    return ['No session matches. ', session, ' · ', openPerson(text)];
  }
  if (states.size > 0) return 'No session matches.';
  return ['No sessions yet. Send readings from your app, or ', h('a', { href: '#/try' }, 'play a scene'), '.'];
}

/** Returns a link to a person that the page may not know, e.g. to connect a first phone. */
export function openPerson(id: string) {
  return h('a', { href: personLink(id) }, `Open person ${id}`);
}

/** Returns the headings of a list of sessions or people. Screen readers read rows that name their figures. */
export function listHead(name: string, ...others: readonly string[]) {
  const heads = ['Score', name, 'State', 'Last reading', ...others].map((it) => h('span', it));
  return h('div.columns.hint', { 'aria-hidden': 'true' }, heads);
}

const groups = { attention: `Needs attention: ${attentionRule}`, live: 'Live now', ended: 'Ended' } as const;

/** Returns rows below the headings of their groups. Those that need attention come first. */
export function groupRows<Item>(
  items: readonly Item[],
  sessionOf: (item: Item) => KnownSession,
  rowOf: (item: Item) => Content,
  now: number,
) {
  const groupOf = (session: KnownSession) =>
    needsAttention(session, now) ? 'attention' : hasEnded(session.atMs, now) ? 'ended' : 'live';
  return Object.entries(groups).map(([group, title]) => {
    const members = items.filter((it) => groupOf(sessionOf(it)) === group);
    return members.length > 0 && [h('li.group', { key: `group ${group}` }, h('h3.hint', title)), ...members.map(rowOf)];
  });
}

function sessionRow(session: KnownSession, isSelected: boolean, now: number) {
  const { session_id: id, subject_id: subject, recent } = session;
  const person =
    subject !== undefined &&
    h('a.person.cut', { href: personLink(subject), 'aria-label': `Person ${nameOf(subject)}` }, nameOf(subject));
  return listRow(
    id,
    { href: sessionLink(id), 'aria-current': isSelected && 'page' },
    session,
    now,
    sparkline(recent),
    person,
  );
}

/** Returns a row with the state of a session. The link of the row covers it. */
export function listRow(
  id: string,
  link: Attributes,
  session: KnownSession,
  now: number,
  ...others: readonly Content[]
) {
  const { stress_score, evidence, confidence, cause, atMs, sinceMs } = session;
  const [state, last] = [stateOf(session, now), shownState(session)];
  const isUnsure = !evidence && confidence < confidenceMin;
  const since = [
    label(state),
    isUnsure && ' (uncertain)',
    !evidence && h('span.since', ` since ${whenShort(sinceMs, now)}`),
  ];
  const why = cause && h('span.cause', ` · ${say('en', cause)}`);
  const rising =
    cause !== 'calming' &&
    isRising(session, now) &&
    h('span.rising.stressed', { role: 'img', 'aria-label': 'rising' }, ' ↗', h('span.word', ' rising'));
  return h(
    'li',
    { key: id, class: state },
    h('span.score-chip', evidence ? '–' : stress_score),
    h('a.name.cut', { title: nameOf(id) !== id && id, ...link }, h('strong', nameOf(id))),
    h('span.state-name.cut.hint', state === 'ended' ? `Ended · ${words(last)}` : [since, rising, why]),
    h('span.hint.passed', age(atMs, now)),
    others,
  );
}

/** Moves the focus with the arrow keys from row to row, and with `/` to the search. */
export function moveByKeys(list: HTMLElement, search: HTMLElement, signal: AbortSignal): void {
  const onKey = (event: KeyboardEvent) => {
    const focused = document.activeElement;
    const isTyping = focused?.matches('input, select, textarea') === true && focused !== search;
    if (!list.isConnected || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    const links = [...list.querySelectorAll<HTMLElement>('.name')];
    const place = links.findIndex((it) => it === focused);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const isSlash = event.key === '/' && focused !== search;
    const next = isSlash
      ? search
      : step !== undefined && (place >= 0 || step > 0) && (links[place + step] ?? (step < 0 && search));
    if (!next) return;
    event.preventDefault();
    next.focus();
  };
  addEventListener('keydown', onKey, { signal });
}

const scores: plot.Bounds = [0, scoreMax];

/** Returns a small chart of the newest scores, from the lowest to the highest possible score. */
function sparkline(values: readonly plot.Value[]) {
  const toMs = values.at(-1)?.atMs ?? 0;
  const extent = { fromMs: Math.min(values[0]?.atMs ?? 0, toMs - 1), toMs };
  const line = plot.line('recent', extent, scores, values, Number.POSITIVE_INFINITY);
  return plot.drawing('svg.sparkline', undefined, line, plot.line('recent', extent, scores, values.slice(-1), 0));
}

/** Returns the distribution of states, whose parts filter the list. */
export function createOverview(sessions: Sessions, onFilter: (states: ReadonlySet<SessionState>) => void) {
  // The page has its heading from the start, before the counts are known.
  const heading = h('h1', { id: 'states-title', tabindex: -1 }, 'Sessions by state');
  const element = h('section.card.overview.line', { 'aria-labelledby': 'states-title' }, heading);
  return {
    element,
    update(filtered: ReadonlySet<SessionState>) {
      const counts = sessions.countStates();
      const live = sum(Object.values(counts)) - counts.ended;
      const parts = enums.SessionState.map((state) => {
        const isOnly = filtered.has(state) && filtered.size === 1;
        const attributes = { class: `banded ${state}`, 'aria-pressed': String(filtered.has(state)) };
        const text = [label(state), ' ', h('strong', counts[state].toLocaleString('en'))];
        return button(text, () => onFilter(new Set(isOnly ? [] : [state])), attributes);
      });
      const total = `${count(live, 'live session')}, ${counts.ended.toLocaleString('en')} ended`;
      show(element, heading, parts, h('p.hint.end', total));
    },
  };
}
