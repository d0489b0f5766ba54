import type { SessionState, StateReading } from '../../client/src/index.js';
import { h } from './dom.js';
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
  const element = h('div.sessions-page');
  everySecond(service.signal, update);
  service.signal.addEventListener('abort', () => view?.close());
  return {
    element,
    sessions,
    open(sessionId: string | undefined) {
      if (view === undefined || view.sessionId !== sessionId) {
        view?.close();
        view = sessionId === undefined ? undefined : createSessionView(service, sessions, sessionId);
        element.replaceChildren(
          ...(view ? [list.element, h('div.detail', view.element)] : [overview.element, list.element]),
        );
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
