import type { StateReading } from '../../../clients/typescript/src/index.js';
import { h } from './dom.js';
import { sessionLink } from './router.js';
import { reasonOf, type Service } from './service.js';
import { createSessionList } from './session-list.js';
import { createSessionView, type SessionView } from './session-view.js';
import { createSessions } from './sessions.js';

export interface SessionsPage {
  readonly element: HTMLElement;
  open(sessionId: string | undefined): void;
  receive(reading: StateReading): void;
}

const demoSession = 'demo';
const tickMs = 1_000;

/** Returns the list of sessions beside the open session. A narrow screen shows one of them. */
export function createSessionsPage(service: Service): SessionsPage {
  let view: SessionView | undefined;
  let isDrawn = false;
  const update = () => {
    // A busy account has many readings per second. They are drawn together.
    if (isDrawn) return;
    isDrawn = true;
    requestAnimationFrame(() => {
      isDrawn = false;
      list.update(view?.sessionId);
    });
  };
  const sessions = createSessions(service, update);
  const list = createSessionList(sessions);
  const welcome = createWelcome();
  const detail = h('div', { class: 'detail' }, welcome);
  const element = h('div', { class: 'sessions-page' }, list.element, detail);
  const timer = setInterval(update, tickMs);
  service.signal.addEventListener('abort', () => {
    clearInterval(timer);
    view?.close();
  });
  sessions.loadMore().catch((error: unknown) => {
    if (!service.signal.aborted) welcome.append(h('p', { class: 'fault', role: 'alert' }, reasonOf(error)));
  });
  return {
    element,
    open(sessionId) {
      if (view?.sessionId === sessionId) return;
      view?.close();
      view = sessionId === undefined ? undefined : createSessionView(service, sessions, sessionId);
      detail.replaceChildren(view?.element ?? welcome);
      element.classList.toggle('has-session', view !== undefined);
      update();
    },
    receive(reading) {
      sessions.apply(reading);
      if (view?.sessionId === reading.session_id) view.receive(reading);
    },
  };
}

/** Returns the instructions that the page shows while no session is open. */
function createWelcome(): HTMLElement {
  const input = h('input', {
    id: 'session-id',
    type: 'text',
    value: demoSession,
    autocomplete: 'off',
    spellcheck: 'false',
    maxlength: 256,
  });
  const form = h(
    'form',
    { class: 'open-session' },
    h('label', { for: 'session-id' }, 'Session id'),
    h('span', { class: 'joined' }, input, h('button', { type: 'submit', class: 'primary' }, 'Open')),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (input.value.trim() !== '') location.hash = sessionLink(input.value.trim());
  });
  return h(
    'div',
    { class: 'welcome' },
    h('h1', { tabindex: -1 }, 'Sessions'),
    h(
      'p',
      {},
      'Open a session to see its score live. A session that has no readings yet can be opened too: send the first ones from its page.',
    ),
    form,
  );
}
