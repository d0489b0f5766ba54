import { h, setTitle } from '../../ui/dom.js';
import { pageHead } from '../../ui/parts.js';
import { createSendPanel } from './send/send-panel.js';
import type { Service } from './service.js';
import type { SessionsPage } from './sessions-page.js';

const emptyText = 'No readings yet. Play a scene or send a reading by hand.';
/** The session of this visit and its person have the same id, which no session of an app has. */
let id: string | undefined;

/** Returns the page that sends readings for trying out: always those of its own session and person, `try-…`. */
export function createTryPage(service: Service, page: SessionsPage, signal: AbortSignal): HTMLElement {
  id ??= `try-${crypto.getRandomValues(new Uint32Array(1))[0]?.toString(36)}`;
  const view = page.createView(id, signal, emptyText);
  setTitle('Try it');
  return h('div.page.try', pageHead('Try it'), createSendPanel(service, id, signal), view);
}
