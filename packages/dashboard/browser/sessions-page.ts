import type { SessionState, StateReading } from '../../client/src/index.js';
import { h } from './dom.js';
import { createOverview } from './overview.js';
import type { Service } from './service.js';
import { createSessionList } from './session-list.js';
import { createSessionView, type SessionView } from './session-view.js';
import { createSessions } from './sessions.js';

const tickMs = 1_000;
/** A busy account has many readings per second. They are drawn together. */
const drawMs = 200;

export type SessionsPage = ReturnType<typeof createSessionsPage>;

/** Returns the overview and the list of sessions, or the open session with the list beside it. */
export function createSessionsPage(service: Service) {
  let view: SessionView | undefined;
  let followed: SessionView | undefined;
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
  const list = createSessionList(sessions, update);
  const filter = (states: ReadonlySet<SessionState>) => {
    list.filter(states);
    draw();
  };
  const overview = createOverview(sessions, filter);
  const detail = h('div', { class: 'detail' });
  const element = h('div', { class: 'sessions-page' });
  const timer = setInterval(update, tickMs);
  service.signal.addEventListener('abort', () => {
    clearInterval(timer);
    clearTimeout(drawing);
    view?.close();
  });
  return {
    element,
    sessions,
    open(sessionId: string | undefined) {
      if (view === undefined || view.sessionId !== sessionId) {
        view?.close();
        view = sessionId === undefined ? undefined : createSessionView(service, sessions, sessionId);
        detail.replaceChildren(...(view ? [view.element] : []));
        element.replaceChildren(...(view ? [list.element, detail] : [overview.element, list.element]));
        element.classList.toggle('has-session', view !== undefined);
      }
      update();
    },
    /** Passes the readings of the stream to a view of another page. */
    follow(other: SessionView | undefined) {
      followed = other;
    },
    receive(reading: StateReading) {
      sessions.apply(reading);
      for (const it of [view, followed]) if (it?.sessionId === reading.session_id) it.receive(reading);
    },
  };
}
