import { all, forgetKey, one, readKey, rememberKey, writeKey } from '../../docs/browser/page.js';
import { startThemeToggle } from '../../docs/browser/controls.js';
import { followContact, showUsage } from './contact.js';
import { h, setTitle } from './dom.js';
import { createKeyForm, takeKey } from './key-form.js';
import { createPeoplePage } from './people-page.js';
import { createPersonView } from './person/person-view.js';
import { readRoute } from './router.js';
import { connect, followReadings, reasonOf, type Service } from './service.js';
import { createSessionsPage, type SessionsPage } from './sessions-page.js';
import { createTryPage } from './try-page.js';
import { createWebhooksView } from './webhooks/webhooks-view.js';

const main = one('main');
const account = one('[data-account]');
/** In the top bar, and in the footer of narrow screens. */
const usagePlaces = all('[data-usage]');
/** The service does not tell which of these a key is. */
const rejected =
  'The service rejected this key. It may be incomplete, revoked or expired, or belong to another service: copy it again.';
let leave = new AbortController();

startThemeToggle();
one('[data-forget]').addEventListener('click', () => askForKey(''));
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
    onUsage: () => usagePlaces.forEach((place) => showUsage(place, service.usage)),
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
  let page: Page | undefined;
  const show = () => {
    const route = readRoute(location.hash);
    page?.close();
    page = undefined;
    setTitle(route.page === 'person' ? `Person ${route.subjectId}` : '');
    if (route.page === 'webhooks') page = createWebhooksView(service);
    if (route.page === 'people') page = createPeoplePage(service, sessionsPage.sessions);
    if (route.page === 'person') page = createPersonView(service, route.subjectId, route.period);
    if (route.page === 'try') page = createTryPage(service, sessionsPage);
    if (route.page === 'unknown') page = createUnknownPage();
    if (route.page === 'sessions') sessionsPage.open(route.sessionId);
    main.replaceChildren(page?.element ?? sessionsPage.element);
    for (const link of document.querySelectorAll<HTMLElement>('[data-page]'))
      link.ariaCurrent = isWithin(link.dataset['page'], route.page) ? 'page' : null;
  };
  const moved = () => {
    // The link that skips to the content.
    if (location.hash === '#main') return;
    show();
    main.querySelector<HTMLElement>('h1')?.focus();
  };
  addEventListener('hashchange', moved, { signal });
  signal.addEventListener('abort', () => page?.close());
  show();
}

/** Returns true if the link of the navigation leads to the page or to its list. */
function isWithin(link: string | undefined, page: string): boolean {
  return link === page || (link === 'people' && page === 'person');
}

interface Page {
  readonly element: HTMLElement;
  close(): void;
}

function createUnknownPage(): Page {
  const links = h('p', h('a', { href: '#/' }, 'Sessions'), ' · ', h('a', { href: '#/people' }, 'People'));
  const text = h('p.notice', 'The dashboard has no page with the address ', h('code', location.hash), '.');
  const head = h('header.line', h('h1', { tabindex: -1 }, 'No such page'));
  return { element: h('div.page', head, text, links), close: () => {} };
}
