import type { Webhook } from '../../../client/src/index.js';
import { nowMs } from '../clock.js';
import { age, count, words } from '../format.js';
import { h, setText } from '../dom.js';
import { reasonOf } from '../service.js';
import { wait } from '../wait.js';
import { deliveryRow } from './delivery-row.js';
import { type DialogParts, openRemoval, openReplay, openRotation } from './webhook-dialogs.js';

export interface WebhookCard {
  readonly element: HTMLElement;
  show(webhook: Webhook): void;
}

const shownDeliveries = 5;
/** The page requests the result of a test up to `times` times, with a pause between two requests. */
const testChecks = { times: 12, pauseMs: 500 };

/** Creates the card of a webhook: its status, its latest deliveries, and buttons for what can be done with it. */
export function createWebhookCard(
  parts: DialogParts,
  id: string,
  signal: AbortSignal,
  onTested: () => Promise<void>,
): WebhookCard {
  const { service } = parts;
  const url = h('h2', { class: 'webhook-url' });
  const badge = h('span', { class: 'badge' });
  const facts = h('p', { class: 'hint' });
  const outcome = h('span', { class: 'hint', role: 'status' });
  const button = h('button', { type: 'button', class: 'secondary small' }, 'Send test');
  let current: Webhook | undefined;
  const opener = (label: string, open: (parts: DialogParts, webhook: Webhook) => void) =>
    h(
      'button',
      { type: 'button', class: 'secondary small', onclick: () => current && open(parts, current) },
      `${label} …`,
    );
  const deliveries = h('ul', { class: 'deliveries' });
  const latest = h('details', {}, h('summary', {}, 'Latest deliveries'), deliveries);
  const element = h(
    'section',
    { class: 'card webhook', 'aria-label': `Webhook ${id}` },
    h('div', { class: 'webhook-title' }, url, badge),
    facts,
    h(
      'div',
      { class: 'webhook-actions' },
      button,
      opener('Retry failed', openReplay),
      opener('Rotate secret', openRotation),
      opener('Remove', openRemoval),
      outcome,
    ),
    latest,
  );
  let shownAt = '';

  const loadDeliveries = async () => {
    const page = await service.webhooks.deliveries({ webhook_id: id }, { signal });
    const byEvent = page.deliveries.toSorted((a, b) => b.payload.timestamp.localeCompare(a.payload.timestamp));
    const rows = byEvent.slice(0, shownDeliveries).map((it) => deliveryRow(it));
    deliveries.replaceChildren(...(rows.length > 0 ? rows : [h('li', { class: 'hint' }, 'None in the last days.')]));
  };
  const test = async () => {
    const { delivery_id } = await service.webhooks.test(id, { signal });
    setText(outcome, 'Test queued …');
    for (let checks = 0; checks < testChecks.times && !signal.aborted; checks += 1) {
      await wait(testChecks.pauseMs, signal);
      const { status, attempts } = await service.webhooks.delivery(delivery_id, { signal });
      const attempt = attempts.at(-1);
      if (status === 'delivered') setText(outcome, `Test delivered in ${attempt?.duration_ms ?? 0} ms.`);
      else if (attempt) setText(outcome, `Test failed: ${attempt.status ?? attempt.error}. Retries follow.`);
      else continue;
      break;
    }
    await onTested();
  };
  button.addEventListener('click', () => {
    button.disabled = true;
    test()
      .catch((error: unknown) => setText(outcome, reasonOf(error)))
      .finally(() => (button.disabled = false));
  });
  latest.addEventListener('toggle', () => {
    if (latest.open) loadDeliveries().catch((error: unknown) => setText(outcome, reasonOf(error)));
  });
  return {
    element,
    show(webhook) {
      current = webhook;
      setText(url, webhook.url);
      setText(badge, webhook.status);
      badge.className = `badge ${webhook.status}`;
      setText(facts, factsOf(webhook));
      const settledAt = `${webhook.last_success_at} ${webhook.last_failure_at}`;
      if (latest.open && settledAt !== shownAt) void loadDeliveries().catch(() => undefined);
      shownAt = settledAt;
    },
  };
}

function describeWatched(session_id: string | undefined, subject_id: string | undefined): string {
  if (session_id !== undefined) return `Session ${session_id}`;
  return subject_id === undefined ? 'All sessions' : `Person ${subject_id}`;
}

function factsOf({
  session_id,
  subject_id,
  status,
  retry,
  states,
  consecutive_failures,
  last_success_at,
  last_failure_at,
  queued_deliveries,
}: Webhook): string {
  const ago = (instant: string) => age(Date.parse(instant), nowMs());
  return [
    describeWatched(session_id, subject_id),
    ...(states ? [`only ${states.map(words).join(', ')}`] : []),
    ...(retry === 'extended' ? ['extended retries'] : []),
    ...(last_success_at ? [`last success ${ago(last_success_at)}`] : []),
    ...(last_failure_at ? [`last failure ${ago(last_failure_at)}`] : []),
    ...(consecutive_failures > 0 ? [`${count(consecutive_failures, 'failure')} in a row`] : []),
    ...(queued_deliveries ? [`${count(queued_deliveries, 'delivery', 'deliveries')} queued`] : []),
    ...(status === 'disabled'
      ? ['the receiver responded with 410, register the same URL, session and person to enable it']
      : []),
  ].join(' · ');
}
