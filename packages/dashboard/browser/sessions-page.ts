import type { SessionState, StateReading } from '../../client/src/index.js';
import { h } from '../../ui/dom.js';
import { everySecond, type Service } from './service.js';
import { createOverview, createSessionList } from './session-list.js';
import { createSessionView, type SessionView } from './session-view.js';
import { createSessions } from './sessions.js';

/** A busy account has many readings per second. They are drawn together. */
const drawMs = 200;

export type SessionsPage = ReturnType<typeof createSessionsPage>;

/** Returns the overview and the list of sessions, or the open session with the list beside it. */
export function createSessionsPage(service: Service) {
  let view: SessionView | undefined;
  let drawing: ReturnType<typeof setTimeout> | undefined;
  const draw = () => {
    drawing = undefined;
    if (document.hidden || !element.isConnected) return;
    list.update(view?.sessionId);
    if (!view) overview.update(list.states);
  };
  const update = () => {
    drawing ??= setTimeout(() => requestAnimationFrame(draw), drawMs);
  };
  const sessions = createSessions(service, update);
  const list = createSessionList(sessions, update, service.signal);
  const filter = (states: ReadonlySet<SessionState>) => {
    list.filter(states);
    draw();
  };
  const overview = createOverview(sessions, filter);
  const element = h('div.sessions-page', list.element);
  everySecond(service.signal, update);
  /** Returns the view of a session, which follows the stream until the signal aborts. */
  const createView = (sessionId: string, signal: AbortSignal, emptyText?: string) => {
    view = createSessionView(service, sessions, sessionId, signal, emptyText);
    signal.addEventListener('abort', () => (view = undefined));
    return view.element;
  };
  return {
    sessions,
    createView,
    open(sessionId: string | undefined, signal: AbortSignal) {
      const isOpen = sessionId !== undefined;
      // The list stays in the page, and keeps its scroll position.
      for (const it of [...element.children]) if (it !== list.element) it.remove();
      if (isOpen) element.append(h('div.detail', createView(sessionId, signal)));
      else element.prepend(overview.element);
      element.classList.toggle('has-session', isOpen);
      update();
      return element;
    },
    receive(reading: StateReading) {
      sessions.apply(reading);
      if (view?.sessionId === reading.session_id) view.receive(reading);
    },
  };
}
