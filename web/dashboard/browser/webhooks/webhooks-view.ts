import type { FailedDelivery, FailedDeliveryList, Webhook } from '../../../../clients/typescript/src/index.js';
import { h, setText } from '../dom.js';
import { count } from '../format.js';
import { reasonOf, type Service } from '../service.js';
import { deliveryRow } from './delivery-row.js';
import { createWebhookCard, type WebhookCard } from './webhook-card.js';

export interface WebhooksView {
  readonly element: HTMLElement;
  close(): void;
}

/** The pause between two updates is longer for an account with a monthly quota. */
const pauseMs = { unlimited: 10_000, quota: 60_000 };

/** Returns the page of webhooks: each with its status and latest deliveries, and the failed deliveries of all. */
export function createWebhooksView(service: Service): WebhooksView {
  const closed = new AbortController();
  const cards = new Map<string, WebhookCard>();
  const list = h('div', { class: 'webhooks' });
  const failures = h('ul', { class: 'deliveries' });
  const failedTitle = h('h2', { id: 'failed-title', tabindex: -1 }, 'Failed deliveries');
  const note = h('p', { class: 'hint' }, 'None.');
  const message = h('p', { class: 'notice', role: 'status' }, 'Loading …');
  const outcome = h('p', { class: 'outcome', role: 'status' });
  const element = h(
    'article',
    { class: 'page' },
    h(
      'header',
      {},
      h('h1', { tabindex: -1 }, 'Webhooks'),
      h('button', { type: 'button', class: 'secondary small', onclick: () => void refresh() }, 'Refresh'),
    ),
    message,
    list,
    h('section', { class: 'card', 'aria-labelledby': 'failed-title' }, failedTitle, note, failures, outcome),
  );
  const retry = async (delivery: FailedDelivery) => {
    const { count: queued } = await service.webhooks.retry({ delivery_ids: [delivery.id] });
    setText(outcome, queued === 1 ? 'Queued again.' : 'This delivery is no longer listed as failed.');
    await settled(delivery.id);
    await refresh();
    failedTitle.focus();
  };
  /** Waits until the first attempt of a queued delivery has an outcome. */
  const settled = async (id: string) => {
    for (let tries = 0; tries < 10 && !closed.signal.aborted; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      const { status } = await service.webhooks.delivery(id, { signal: closed.signal });
      if (status === 'pending') continue;
      return setText(outcome, status === 'delivered' ? 'Delivered.' : 'Failed again.');
    }
    setText(outcome, 'The first attempt failed or is still running. Retries follow by the schedule.');
  };
  const showWebhooks = (webhooks: readonly Webhook[]) => {
    const shown = webhooks.map((webhook) => {
      const card = cards.get(webhook.id) ?? createWebhookCard(service, webhook.id, closed.signal, refresh);
      cards.set(webhook.id, card);
      card.show(webhook);
      return card.element;
    });
    if (shown.length !== list.children.length || shown.some((it, index) => it !== list.children[index]))
      list.replaceChildren(...shown);
  };
  let shownFailures = '';
  const showFailures = ({ deliveries, next_cursor }: FailedDeliveryList, webhooks: readonly Webhook[]) => {
    // Unchanged rows stay: they may have the focus, or show their attempts.
    const present = JSON.stringify(deliveries);
    if (present === shownFailures) return;
    shownFailures = present;
    const urlOf = (id: string) => webhooks.find((it) => it.id === id)?.url ?? 'a removed webhook';
    const toRow = (it: FailedDelivery) =>
      deliveryRow({ ...it, status: 'failed' }, { url: urlOf(it.webhook_id), retry: () => retry(it) });
    failures.replaceChildren(...deliveries.map(toRow));
    const number = count(deliveries.length, 'delivery', 'deliveries');
    const listed = next_cursor === null ? number : `${number} and older ones`;
    setText(note, deliveries.length === 0 ? 'None.' : `${listed}, newest first.`);
  };
  const load = async () => {
    const { signal } = closed;
    const [webhooks, failed] = await Promise.all([
      service.webhooks.list({ signal }),
      service.webhooks.failedDeliveries({}, { signal }),
    ]);
    showWebhooks(webhooks);
    showFailures(failed, webhooks);
    message.hidden = webhooks.length > 0;
    setText(message, 'No webhooks yet. Register one with POST /webhooks/register: the guide Webhooks shows how.');
  };
  const refresh = () =>
    load().catch((error: unknown) => {
      if (closed.signal.aborted) return;
      message.hidden = false;
      setText(message, reasonOf(error));
    });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const follow = async () => {
    if (!document.hidden) await refresh();
    if (!closed.signal.aborted) timer = setTimeout(follow, service.usage.month ? pauseMs.quota : pauseMs.unlimited);
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
