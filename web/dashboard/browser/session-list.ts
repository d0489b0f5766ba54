import type { SessionSummary } from '../../../clients/typescript/src/index.js';
import { nowMs } from './clock.js';
import { age, words } from './format.js';
import { sessionLink } from './router.js';
import { h, setText } from './dom.js';
import { reasonOf } from './service.js';
import type { Sessions } from './sessions.js';

export interface SessionList {
  readonly element: HTMLElement;
  /** Shows the current sessions. `selected` is the open one. */
  update(selected: string | undefined): void;
}

interface Row {
  readonly element: HTMLLIElement;
  show(session: SessionSummary, isSelected: boolean): void;
}

/** Returns the list of sessions. Rows keep their place and focus while readings arrive. */
export function createSessionList(sessions: Sessions): SessionList {
  const rows = new Map<string, Row>();
  const list = h('ul', { class: 'rows' });
  const filter = h('input', {
    type: 'search',
    placeholder: 'Filter by id or subject',
    'aria-label': 'Filter sessions',
  });
  const empty = h('p', { class: 'hint empty' });
  const fault = h('p', { class: 'fault', role: 'alert' });
  const more = h('button', { type: 'button', class: 'secondary small', onclick: () => void load() }, 'Load more');
  const element = h(
    'nav',
    { class: 'sessions', 'aria-label': 'Sessions' },
    h('div', { class: 'list-head' }, h('h2', {}, 'Sessions'), filter),
    list,
    empty,
    fault,
    more,
  );
  let selected: string | undefined;

  const load = async () => {
    more.disabled = true;
    await sessions.loadMore().then(
      () => setText(fault, ''),
      (error: unknown) => setText(fault, reasonOf(error)),
    );
    more.disabled = false;
  };
  const rowOf = (id: string) => {
    const row = rows.get(id) ?? createRow(id);
    rows.set(id, row);
    return row;
  };
  const update = () => {
    const shown = sessions.list().filter((it) => matches(it, filter.value.trim()));
    const elements = shown.map((session) => {
      const row = rowOf(session.session_id);
      row.show(session, session.session_id === selected);
      return row.element;
    });
    // Moving a row would take the focus from it.
    const isSame =
      elements.length === list.children.length && elements.every((it, index) => it === list.children[index]);
    if (!isSame) list.replaceChildren(...elements);
    more.hidden = !sessions.hasMore();
    empty.hidden = shown.length > 0;
    setText(empty, filter.value.trim() === '' ? 'No sessions yet.' : 'No loaded session matches.');
  };
  filter.addEventListener('input', update);
  return {
    element,
    update(id) {
      selected = id;
      update();
    },
  };
}

function createRow(id: string): Row {
  const score = h('span', { class: 'score-chip' });
  const subject = h('span', { class: 'hint' });
  const state = h('span', { class: 'state-name' });
  const passed = h('span', { class: 'hint passed' });
  const link = h(
    'a',
    { href: sessionLink(id) },
    score,
    h('span', { class: 'row-text' }, h('strong', {}, id), h('span', { class: 'row-line' }, state, passed), subject),
  );
  return {
    element: h('li', {}, link),
    show(session, isSelected) {
      score.className = `score-chip ${session.state}`;
      setText(score, String(session.stress_score));
      setText(state, words(session.state));
      setText(passed, age(Date.parse(session.timestamp), nowMs()));
      setText(subject, session.subject_id === undefined ? '' : `Subject ${session.subject_id}`);
      link.ariaCurrent = isSelected ? 'page' : null;
    },
  };
}

function matches({ session_id, subject_id = '' }: SessionSummary, text: string): boolean {
  const query = text.toLowerCase();
  return session_id.toLowerCase().includes(query) || subject_id.toLowerCase().includes(query);
}
