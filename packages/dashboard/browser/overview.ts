import { enums } from '../../../generated/spec.js';
import type { SessionState } from '../../client/src/index.js';
import { nowMs } from './clock.js';
import { arrange, h, setText, smallButton } from './dom.js';
import { capitalized, count, whenShort, words } from './format.js';
import { sessionLink } from './router.js';
import { isRising, type KnownSession, type Sessions, stateOf } from './sessions.js';

const attentionMax = 4;
const everySession = { states: new Set<SessionState>(), sort: 'activity', text: '' } as const;
const alarming: readonly SessionState[] = ['acute_stress', 'stressed'];

/** Returns the distribution of states, whose parts filter the list, and the sessions that need attention. */
export function createOverview(sessions: Sessions, onFilter: (states: ReadonlySet<SessionState>) => void) {
  const total = h('p', { class: 'hint' });
  let filtered: ReadonlySet<SessionState> = new Set();
  const parts = enums.SessionState.map((state) => {
    const number = h('strong', {});
    const toggle = () => onFilter(new Set(filtered.has(state) && filtered.size === 1 ? [] : [state]));
    const name = h('span', {}, capitalized(words(state)));
    const button = h('button', { type: 'button', class: `state-count ${state}`, onclick: toggle }, name, number);
    return { state, number, button, bar: h('span', { class: state }) };
  });
  const bar = h('div', { class: 'states-bar', 'aria-hidden': 'true' }, ...parts.map((it) => it.bar));
  const list = h('ul', { class: 'attention' });
  const calm = h('p', { class: 'hint' }, 'No session is stressed.');
  const all = smallButton('', () => onFilter(new Set(alarming)));
  const rows = new Map<string, ReturnType<typeof createItem>>();

  const showAttention = (now: number) => {
    const found = sessions
      .list(everySession)
      .flatMap((session) => urgencyOf(session, now))
      .sort((a, b) => a.urgency - b.urgency || b.session.sinceMs - a.session.sinceMs);
    const elements = found.slice(0, attentionMax).map(({ session }) => {
      const row = rows.get(session.session_id) ?? createItem(session.session_id);
      rows.set(session.session_id, row);
      row.show(session, now);
      return row.element;
    });
    if (!list.matches(':focus-within')) arrange(list, elements);
    calm.hidden = found.length > 0;
    all.hidden = found.length <= attentionMax;
    setText(all, `All ${found.length}`);
  };
  return {
    element: h(
      'section',
      { class: 'card overview', 'aria-labelledby': 'states-title' },
      h(
        'div',
        { class: 'state-counts' },
        h('h1', { id: 'states-title', tabindex: -1 }, 'Live sessions'),
        ...parts.map((it) => it.button),
        total,
      ),
      h('div', { class: 'attention-line' }, h('h2', {}, 'Attention'), list, calm, all),
      bar,
    ),
    update(states: ReadonlySet<SessionState>) {
      filtered = states;
      const counts = sessions.countStates();
      const live = Object.entries(counts).reduce((sum, [state, it]) => sum + (state === 'ended' ? 0 : it), 0);
      setText(total, `${count(live, 'live session')}, ${counts.ended.toLocaleString('en')} ended`);
      for (const { state, number, button, bar: part } of parts) {
        setText(number, counts[state].toLocaleString('en'));
        button.ariaPressed = String(states.has(state));
        if (state !== 'ended') part.style.setProperty('flex-grow', String(counts[state]));
        part.hidden = state === 'ended' || counts[state] === 0;
      }
      showAttention(nowMs());
    },
  };
}

/** Returns a session that needs attention: acute, stressed or focused and rising. The lowest number is most urgent. */
function urgencyOf(session: KnownSession, now: number): Array<{ session: KnownSession; urgency: number }> {
  const urgency = alarming.indexOf(stateOf(session, now));
  if (urgency >= 0) return [{ session, urgency }];
  const mayBecomeStressed = stateOf(session, now) === 'focused' && isRising(session, now);
  return mayBecomeStressed ? [{ session, urgency: alarming.length }] : [];
}

function createItem(id: string) {
  const score = h('span', { class: 'score-chip' });
  const state = h('span', { class: 'hint' });
  const element = h('li', {}, h('a', { href: sessionLink(id) }, score, h('strong', {}, id), state));
  return {
    element,
    show(session: KnownSession, now: number) {
      element.className = session.state;
      setText(score, String(session.stress_score));
      setText(state, `since ${whenShort(session.sinceMs, now)}${isRising(session, now) ? ' ↗' : ''}`);
    },
  };
}
