import type { Webhook } from '../../../client/src/index.js';
import { arrange, h, setText, smallButton } from '../dom.js';
import { reasonOf, type Service } from '../service.js';
import { createDeliveryTable } from './delivery-table.js';
import { createWebhookCard } from './webhook-card.js';
import { type DialogParts, openRegistration } from './webhook-dialogs.js';

/** The pause between two updates is longer for an account with a monthly quota. */
const pauseMs = { unlimited: 10_000, quota: 60_000 };

/** Returns the page of webhooks: each with its status, and a table of their deliveries. */
export function createWebhooksView(service: Service) {
  const closed = new AbortController();
  const { signal } = closed;
  const cards = new Map<string, ReturnType<typeof createWebhookCard>>();
  const list = h('div', { class: 'webhooks' });
  const deliveries = createDeliveryTable(service, signal);
  const title = h('h1', { tabindex: -1 }, 'Webhooks');
  const message = h('p', { class: 'notice', role: 'status' }, 'Loading …');
  const changed = h('p', { class: 'outcome', role: 'status' });
  const register = () =>
    h(
      'button',
      { type: 'button', class: 'primary small', onclick: () => openRegistration(parts) },
      'Register a webhook',
    );
  const empty = h(
    'section',
    { class: 'card', hidden: true },
    h('h2', {}, 'No webhooks yet'),
    h(
      'p',
      {},
      'A webhook sends each state change of your sessions to a URL of yours, signed and in order. The guide ',
      h('a', { href: '../docs/webhooks/' }, 'Webhooks'),
      ' shows how a receiver verifies and answers them.',
    ),
    register(),
  );
  // Hidden until the list is loaded: the button moves if there is no webhook.
  const headButton = register();
  headButton.hidden = true;
  const element = h(
    'article',
    { class: 'page webhooks-page' },
    h(
      'header',
      {},
      title,
      h(
        'div',
        { class: 'webhook-actions' },
        smallButton('Refresh', () => void refresh()),
        headButton,
      ),
    ),
    changed,
    message,
    empty,
    list,
    deliveries.element,
  );
  const parts: DialogParts = {
    service,
    host: element,
    onChanged(text) {
      setText(changed, text);
      void refresh().then(() => {
        // The button that opened the dialog may be gone with its webhook.
        if (document.activeElement === document.body) title.focus();
      });
    },
  };
  const showWebhooks = (webhooks: readonly Webhook[]) => {
    const shown = webhooks.map((webhook) => {
      const card = cards.get(webhook.id) ?? createWebhookCard(parts, webhook.id, signal, refresh);
      cards.set(webhook.id, card);
      card.show(webhook);
      return card.element;
    });
    arrange(list, shown);
    headButton.hidden = webhooks.length === 0;
    empty.hidden = webhooks.length > 0;
  };
  const load = async () => {
    const webhooks = await service.webhooks.list({ signal });
    showWebhooks(webhooks);
    await deliveries.load(webhooks);
    message.hidden = true;
  };
  const refresh = () =>
    load().catch((error: unknown) => {
      if (signal.aborted) return;
      message.hidden = false;
      setText(message, reasonOf(error));
    });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const follow = async () => {
    if (!document.hidden) await refresh();
    if (!signal.aborted) timer = setTimeout(follow, service.usage.month ? pauseMs.quota : pauseMs.unlimited);
  };
  void follow();
  return {
    element,
    close() {
      closed.abort();
      clearTimeout(timer);
    },
  };
}
