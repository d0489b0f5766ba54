import type { SessionState, StateReading } from '../../client/src/index.js';
import { h } from './dom.js';
import { type AgreementView, createAgreementView } from './feedback/agreement.js';
import { createOverview } from './overview.js';
import { sessionLink } from './router.js';
import type { Service } from './service.js';
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
/** A busy account has many readings per second. They are drawn together. */
const drawMs = 200;

/** Returns the overview and the list of sessions, or the open session with the list beside it. */
export function createSessionsPage(service: Service): SessionsPage {
  let view: SessionView | undefined;
  let drawing: ReturnType<typeof setTimeout> | undefined;
  const draw = () => {
    drawing = undefined;
    if (document.hidden) return;
    list.update(view?.sessionId);
    if (!view) overview.update(list.states);
  };
  const update = () => {
    drawing ??= setTimeout(() => requestAnimationFrame(draw), drawMs);
  };
  const sessions = createSessions(service, update);
  const list = createSessionList(sessions, update);
  const filter = (states: ReadonlySet<SessionState>) => {
    list.filter(states);
    draw();
  };
  const overview = createOverview(sessions, filter);
  const agreement = createAgreementView(() => service.agreement({ signal: service.signal }), 'person', service.signal);
  const home = [createHead(), overview.element, createAgreementCard(agreement)];
  const detail = h('div', { class: 'detail' });
  const element = h('div', { class: 'sessions-page' }, ...home, list.element);
  const timer = setInterval(update, tickMs);
  service.signal.addEventListener('abort', () => {
    clearInterval(timer);
    clearTimeout(drawing);
    view?.close();
  });
  return {
    element,
    open(sessionId) {
      if (sessionId === undefined) void agreement.load();
      if (view?.sessionId === sessionId) return draw();
      view?.close();
      view = sessionId === undefined ? undefined : createSessionView(service, sessions, sessionId);
      detail.replaceChildren(...(view ? [view.element] : []));
      element.replaceChildren(...(view ? [list.element, detail] : [...home, list.element]));
      element.classList.toggle('has-session', view !== undefined);
      draw();
    },
    receive(reading) {
      sessions.apply(reading);
      if (view?.sessionId === reading.session_id) view.receive(reading);
    },
  };
}

/** Returns the agreement of the account: the figures in one line, which opens the charts. */
function createAgreementCard({ line, detail }: AgreementView): HTMLElement {
  const title = h('h2', {}, 'Agreement with reports');
  return h('details', { class: 'card agreement-home' }, h('summary', {}, title, line), detail);
}

/** Returns the heading, and a form that opens a session by its id. The session may have no readings yet. */
function createHead(): HTMLElement {
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
    h('label', { for: 'session-id' }, 'Open a session'),
    h('span', { class: 'joined' }, input, h('button', { type: 'submit', class: 'primary' }, 'Open')),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (input.value.trim() !== '') location.hash = sessionLink(input.value.trim());
  });
  return h('header', { class: 'home-head' }, h('h1', { tabindex: -1 }, 'Live sessions'), form);
}
