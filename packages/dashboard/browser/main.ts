import { forgetKey, one, readKey, rememberKey, writeKey } from '../../docs/browser/page.js';
import { startThemeToggle } from '../../docs/browser/controls.js';
import { followContact, showUsage } from './contact.js';
import { h, setTitle } from '../../ui/dom.js';
import { createKeyForm, takeKey } from './key-form.js';
import { forgetNames, nameOf } from './names.js';
import { createPeoplePage } from './people-page.js';
import { pageHead } from '../../ui/parts.js';
import { createPersonView } from './person/person-view.js';
import { readRoute, type Route } from './router.js';
import { connect, followReadings, reasonOf, type Service } from './service.js';
import { createSessionsPage, type SessionsPage } from './sessions-page.js';
import { createTryPage } from './try-page.js';
import { createWebhooksView } from './webhooks/webhooks-view.js';

const main = one('main');
const account = one('[data-account]');
/** The response does not state the reason. */
const rejected =
  'The service rejected this key. It may be incomplete, revoked or expired, or belong to another service: copy it again.';
let leave = new AbortController();

startThemeToggle();
one('[data-forget]').addEventListener('click', () => {
  forgetNames();
  askForKey('');
});
// Another link with a key, opened in this tab, does not load the page again.
addEventListener('hashchange', () => {
  if (takeKey()) enter(readKey());
});
// Another tab has forgotten the key of this device.
addEventListener('storage', ({ key, oldValue, newValue }) => {
  if (key === 'key' && newValue === null && oldValue === readKey()) askForKey('');
});
if (readKey() === '') askForKey('');
else enter(readKey());

/** Forgets the key of the tab and of the device, and shows the form. */
function askForKey(fault: string): void {
  leave.abort();
  forgetKey();
  account.hidden = true;
  main.replaceChildren(
    createKeyForm(fault, (key, isRemembered) => {
      if (isRemembered) rememberKey(key);
      enter(key);
    }),
  );
  main.querySelector('input')?.focus();
}

function enter(key: string): void {
  leave.abort();
  leave = new AbortController();
  const { signal } = leave;
  writeKey(key);
  account.hidden = false;
  const isPast = () => main.querySelector('[data-ended]') !== null;
  const contact = followContact(one('[data-live]'), one('[data-contact]'), isPast, signal);
  const service = connect(key, signal, {
    onUsage: () => showUsage(one('[data-usage]'), service.usage),
    onContact: contact.touch,
    onConnected: () => contact.connect(true),
    onRejected: () => {
      if (!signal.aborted) askForKey(rejected);
    },
  });
  const sessionsPage = createSessionsPage(service);
  void followReadings(service, {
    onReading: sessionsPage.receive,
    onDisconnect: () => contact.connect(false),
    onRefused: (error) => contact.refuse(reasonOf(error)),
  });
  followAddress(signal, service, sessionsPage);
}

/** Shows the page of the address, now and after each change of it. */
function followAddress(signal: AbortSignal, service: Service, sessionsPage: SessionsPage): void {
  let closed = new AbortController();
  const show = () => {
    const route = readRoute(location.hash);
    closed.abort();
    closed = new AbortController();
    setTitle(route.page === 'person' ? `Person ${nameOf(route.subjectId)}` : '');
    const page = createPage(route, service, sessionsPage, closed.signal);
    if (main.firstChild !== page) main.replaceChildren(page);
    for (const link of document.querySelectorAll<HTMLElement>('[data-page]'))
      link.ariaCurrent = link.dataset['page'] === (route.page === 'person' ? 'people' : route.page) ? 'page' : null;
  };
  const moved = () => {
    // The link that skips to the content.
    if (location.hash === '#main') return;
    show();
    main.querySelector<HTMLElement>('h1')?.focus();
  };
  addEventListener('hashchange', moved, { signal });
  signal.addEventListener('abort', () => closed.abort());
  show();
}

/** Returns the page of an address. Its requests end when the signal aborts. */
function createPage(route: Route, service: Service, sessionsPage: SessionsPage, signal: AbortSignal): HTMLElement {
  if (route.page === 'sessions') return sessionsPage.open(route.sessionId, signal);
  if (route.page === 'person') return createPersonView(service, route.subjectId, route.period, signal);
  if (route.page === 'people') return createPeoplePage(service, sessionsPage.sessions, signal);
  if (route.page === 'webhooks') return createWebhooksView(service, signal);
  if (route.page === 'try') return createTryPage(service, sessionsPage, signal);
  return createUnknownPage();
}

function createUnknownPage() {
  const links = h('p', h('a', { href: '#/' }, 'Sessions'), ' · ', h('a', { href: '#/people' }, 'People'));
  const text = h('p.notice', 'The dashboard has no page with the address ', h('code', location.hash), '.');
  return h('div.page', pageHead('No such page'), text, links);
}
