import { personLinks as settings } from '../../../generated/spec.js';
import { one } from '../../docs/browser/page.js';
import { startThemeToggle } from '../../docs/browser/controls.js';
import { h } from '../../ui/dom.js';
import { createStatus } from '../../ui/parts.js';
import { createCollectedCard, createReadersCard } from './collected.js';
import { createPhoneCard, createUploadCard } from './connect.js';
import { createFeelCard } from './feel.js';
import { connect, findLink, type Link, openLink } from './link.js';
import { createRightsCard } from './rights.js';
import { retryMs } from './parts.js';
import { day, language, t } from './texts.js';
import { createTodayCard } from './today.js';
import { createTopicsCard } from './topics.js';
import { createWeekCard } from './week.js';

const main = one('main');
/** Ends the page of the previous link. */
let leave = new AbortController();

startThemeToggle();
document.documentElement.lang = language;
document.title = t('brand');
one('[data-brand]').textContent = t('brand');
one('[data-skip]').textContent = t('skip');
one('[data-disclaimer]').textContent = t('disclaimer');
one('[data-theme-toggle]').ariaLabel = t('theme');
addEventListener('hashchange', () => {
  if (readSecret() !== '') void start();
});
void start();

/** The secret of a link, which the browser does not send to the server on its own. */
function readSecret(): string {
  return location.hash.startsWith(`#${settings.secret_prefix}`) ? location.hash.slice(1) : '';
}

async function start(): Promise<void> {
  leave.abort();
  leave = new AbortController();
  const { signal } = leave;
  const secret = readSecret();
  if (secret !== '') return showOpening(secret, signal);
  try {
    enter(await findLink(), signal);
  } catch {
    if (signal.aborted) return;
    showMessage('now', t('no_contact'));
    setTimeout(() => signal.aborted || void start(), retryMs);
  }
}

/** Opens nothing before a tap: previews of links run scripts, too. */
function showOpening(secret: string, signal: AbortSignal): void {
  const outcome = createStatus();
  const open = async () => {
    try {
      const link = await openLink(secret);
      // The secret is of no use anymore.
      history.replaceState(null, '', location.pathname);
      enter(link, signal);
      one('h1').focus();
    } catch {
      outcome.say(t('no_contact'), true);
    }
  };
  const button = h('button.primary', { type: 'button', onclick: () => void open() }, t('open'));
  main.replaceChildren(h('section.card', h('h1', t('open_title')), h('p', t('open_text')), button, outcome.element));
}

function showMessage(title: Parameters<typeof t>[0], text: string): void {
  main.replaceChildren(h('section.card', { role: 'status' }, h('h1', { tabindex: -1 }, t(title)), h('p', text)));
}

/** Shows what the grants of the link allow, and nothing else. */
function enter(link: Link | undefined, signal: AbortSignal): void {
  if (signal.aborted) return;
  const end = (text: string) => {
    // Another link is open.
    if (signal !== leave.signal) return;
    leave.abort();
    showMessage('ended_title', text);
  };
  if (!link) return end(t('ended_text'));
  const page = connect(link, signal, () => end(t('ended_text')));
  const [reads, connects] = [page.may('read'), page.may('connect')];
  const week = reads && createWeekCard(page);
  const [today, collected] = [createTodayCard(page, () => week && week.refresh()), createCollectedCard(page)];
  main.replaceChildren(
    h(
      'div.cards',
      h('h1', { tabindex: -1 }, t('brand')),
      reads && today.element,
      page.may('feedback') && createFeelCard(page),
      week && week.element,
      reads && createTopicsCard(page, today.refresh),
      reads && collected.element,
      reads && createReadersCard(page),
      connects && createPhoneCard(page),
      connects && createUploadCard(page, today.refresh),
      createRightsCard(page, collected.refresh, () => end(t('erased'))),
      h('p.hint', t('ends', { date: day(Date.parse(link.expires_at)) })),
    ),
  );
}
