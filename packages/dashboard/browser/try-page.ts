import { h, setTitle } from './dom.js';
import { createSendPanel } from './send/send-panel.js';
import type { Service } from './service.js';
import { createSessionView } from './session-view.js';
import type { SessionsPage } from './sessions-page.js';

const emptyText = 'No readings yet. Play a scene, connect a strap or send a reading by hand.';
/** The session of this visit and its person have the same id, which no session of an app has. */
let id: string | undefined;

/** Returns the page that sends readings for trying out: always those of its own session and person, `try-…`. */
export function createTryPage(service: Service, page: SessionsPage) {
  id ??= `try-${crypto.getRandomValues(new Uint32Array(1))[0]?.toString(36)}`;
  const panel = createSendPanel(service, id);
  const view = createSessionView(service, page.sessions, id, emptyText);
  page.follow(view);
  setTitle('Try it');
  const head = h('header.line', h('h1', { tabindex: -1 }, 'Try it'));
  return {
    element: h('div.page.try', head, panel.element, view.element),
    close() {
      page.follow(undefined);
      panel.close();
      view.close();
    },
  };
}
