import type { FailedDelivery, Webhook } from '../../../client/src/index.js';
import { h, setText } from '../dom.js';
import { count } from '../format.js';
import { reasonOf, type Service } from '../service.js';
import { wait } from '../wait.js';
import { deliveryRow } from './delivery-row.js';
import { createWebhookCard, type WebhookCard } from './webhook-card.js';
import { type DialogParts, openRegistration } from './webhook-dialogs.js';

export interface WebhooksView {
  readonly element: HTMLElement;
  close(): void;
}

/** The pause between two updates is longer for an account with a monthly quota. */
const pauseMs = { unlimited: 10_000, quota: 60_000 };
/** The list of failed deliveries grows by this number. */
const shownStep = 50;

/** Returns the page of webhooks: each with its status and latest deliveries, and the failed deliveries of all. */
export function createWebhooksView(service: Service): WebhooksView {
  const closed = new AbortController();
  const { signal } = closed;
  const cards = new Map<string, WebhookCard>();
  const list = h('div', { class: 'webhooks' });
  const failures = h('ul', { class: 'deliveries' });
  const title = h('h1', { tabindex: -1 }, 'Webhooks');
  const failedTitle = h('h2', { id: 'failed-title', tabindex: -1 }, 'Failed deliveries');
  const note = h('p', { class: 'hint' }, 'None.');
  const more = h('button', { type: 'button', class: 'secondary small', hidden: true }, 'Show more');
  const message = h('p', { class: 'notice', role: 'status' }, 'Loading …');
  const changed = h('p', { class: 'outcome', role: 'status' });
  const outcome = h('p', { class: 'outcome', role: 'status' });
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
  const failed = h(
    'section',
    { class: 'card', 'aria-labelledby': 'failed-title', hidden: true },
    failedTitle,
    note,
    failures,
    more,
    outcome,
  );
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
        h('button', { type: 'button', class: 'secondary small', onclick: () => void refresh() }, 'Refresh'),
        headButton,
      ),
    ),
    changed,
    message,
    empty,
    list,
    failed,
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
  const retry = async (delivery: FailedDelivery) => {
    const { count: queued } = await service.webhooks.retry({ delivery_ids: [delivery.id] });
    setText(outcome, queued === 1 ? 'Queued again.' : 'This delivery is no longer listed as failed.');
    if (queued === 1) await settled(delivery.id);
    await refresh();
    failedTitle.focus();
  };
  /** Waits until the first attempt of a queued delivery has an outcome. */
  const settled = async (id: string) => {
    for (let tries = 0; tries < 10 && !signal.aborted; tries += 1) {
      await wait(500, signal);
      const { status } = await service.webhooks.delivery(id, { signal });
      if (status === 'pending') continue;
      return setText(outcome, status === 'delivered' ? 'Delivered.' : 'Failed again.');
    }
    setText(outcome, 'The first attempt failed or is still running. Retries follow by the schedule.');
  };
  const showWebhooks = (webhooks: readonly Webhook[]) => {
    const shown = webhooks.map((webhook) => {
      const card = cards.get(webhook.id) ?? createWebhookCard(parts, webhook.id, signal, refresh);
      cards.set(webhook.id, card);
      card.show(webhook);
      return card.element;
    });
    if (shown.length !== list.children.length || shown.some((it, index) => it !== list.children[index]))
      list.replaceChildren(...shown);
    headButton.hidden = webhooks.length === 0;
    empty.hidden = webhooks.length > 0;
    failed.hidden = webhooks.length === 0;
  };
  let shownFailures = '';
  let shownMax = shownStep;
  const showFailures = (deliveries: readonly FailedDelivery[], webhooks: readonly Webhook[]) => {
    more.hidden = deliveries.length <= shownMax;
    const shown = deliveries.slice(0, shownMax);
    // Unchanged rows stay: they may have the focus, or show their attempts.
    const present = JSON.stringify(shown);
    if (present === shownFailures) return;
    shownFailures = present;
    const urlOf = (id: string) => webhooks.find((it) => it.id === id)?.url ?? 'a removed webhook';
    const toRow = (it: FailedDelivery) =>
      deliveryRow({ ...it, status: 'failed' }, { url: urlOf(it.webhook_id), retry: () => retry(it) });
    failures.replaceChildren(...shown.map(toRow));
    const number = count(shown.length, 'delivery', 'deliveries');
    setText(
      note,
      shown.length === 0 ? 'None.' : `${more.hidden ? number : `The newest ${number}`}, newest event first.`,
    );
  };
  const load = async () => {
    const [webhooks, deliveries] = await Promise.all([service.webhooks.list({ signal }), loadFailed()]);
    showWebhooks(webhooks);
    showFailures(deliveries, webhooks);
    message.hidden = true;
  };
  /** Loads one delivery more than the page shows, to find out whether there are more. */
  const loadFailed = async () => {
    const found: FailedDelivery[] = [];
    for await (const delivery of service.webhooks.failedDeliveries({ sort: 'event_time' }, { signal }))
      if (found.push(delivery) > shownMax) break;
    return found;
  };
  const refresh = () =>
    load().catch((error: unknown) => {
      if (signal.aborted) return;
      message.hidden = false;
      setText(message, reasonOf(error));
    });
  more.addEventListener('click', () => {
    shownMax += shownStep;
    void refresh();
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
