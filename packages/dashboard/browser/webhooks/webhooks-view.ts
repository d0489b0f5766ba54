import type { Webhook } from '../../../client/src/index.js';
import { h, show } from '../../../ui/dom.js';
import { age, count, timeOfDay, words } from '../../../ui/format.js';
import { badge, button, createStatus, pageHead } from '../../../ui/parts.js';
import { nowMs, pauseOf, poll, reasonOf, type Service, wait } from '../service.js';
import { createAlertRules } from './alert-rules.js';
import { createDeliveryTable, describeAttempt } from './delivery-table.js';
import { type DialogParts, openRegistration, openRemoval, openReplay, openRotation } from './webhook-dialogs.js';

const testQueued = 'Test queued …';

/** Returns the page of webhooks: each with its status, and a table of their deliveries. */
export function createWebhooksView(service: Service, signal: AbortSignal): HTMLElement {
  /** Outcome of the newest test, by webhook. */
  const tests = new Map<string, string>();
  let webhooks: readonly Webhook[] = [];
  const list = h('div.cards');
  const deliveries = createDeliveryTable(service, signal);
  const [message, changed, actions] = [createStatus('p.notice'), createStatus(), h('div.line')];
  const head = pageHead('Webhooks', actions);
  const element = h('article.page', head, changed.element, message.element, list);
  const parts: DialogParts = {
    service,
    host: element,
    onChanged(text) {
      changed.say(text);
      void refresh().then(() => {
        // The button that opened the dialog may be gone with its webhook.
        if (document.activeElement === document.body) head.querySelector('h1')?.focus();
      });
    },
  };
  const alerts = createAlertRules(parts, signal);
  element.append(alerts.element, deliveries.element);
  const register = () =>
    h('button.primary.small', { type: 'button', onclick: () => openRegistration(parts) }, 'Register a webhook');
  const draw = () => {
    show(list, webhooks.length === 0 ? noWebhooks(register()) : webhooks.map(webhookCard));
    show(
      actions,
      button('Refresh', () => void refresh()),
      webhooks.length > 0 && register(),
    );
  };
  const webhookCard = (webhook: Webhook) => {
    const { id, url, status, next_attempt_at: next } = webhook;
    const retried = status === 'failed' && next !== undefined ? 'failing' : status;
    return h(
      'section.card.webhook',
      { key: id, 'aria-label': `Webhook ${id}` },
      h('div', h('div.line', h('h2', url), badge(status, retried)), h('p.hint', describe(webhook))),
      h(
        'div.line',
        button('Send test', () => void test(id)),
        button('Retry failed …', () => openReplay(parts, webhook)),
        button('Rotate secret …', () => openRotation(parts, webhook)),
        h('span.hint', { role: 'status' }, tests.get(id)),
        button('Remove …', () => openRemoval(parts, webhook), { class: 'danger end' }),
      ),
    );
  };
  const sayOfTest = (id: string, text: string) => {
    tests.set(id, text);
    draw();
  };
  const test = async (id: string) => {
    if (tests.get(id) === testQueued) return;
    try {
      const { delivery_id } = await service.webhooks.test(id, { signal });
      sayOfTest(id, testQueued);
      const outcome = await poll(signal, async () => {
        const { status, attempts } = await service.webhooks.delivery(delivery_id, { signal });
        const attempt = attempts.at(-1);
        if (status === 'delivered') return `Test delivered in ${attempt?.duration_ms ?? 0} ms.`;
        return attempt && `Test failed: ${attempt.status ?? attempt.error}. Retries follow.`;
      });
      sayOfTest(id, outcome ?? 'The test is still running: no response so far.');
      await refresh();
    } catch (error) {
      sayOfTest(id, reasonOf(error));
    }
  };
  const load = async () => {
    webhooks = await service.webhooks.list({ signal });
    draw();
    await Promise.all([alerts.load(webhooks), deliveries.load(webhooks)]);
    alerts.element.hidden = false;
    message.say('');
  };
  const refresh = () => load().catch((error: unknown) => signal.aborted || message.say(reasonOf(error)));
  const follow = async () => {
    while (!signal.aborted) {
      if (!document.hidden) await refresh();
      await wait(pauseOf(service, 10_000), signal);
    }
  };
  for (const it of [alerts.element, deliveries.element]) it.hidden = true;
  message.say('Loading …');
  void follow();
  return element;
}

function noWebhooks(register: HTMLElement) {
  const text = 'A webhook sends each state change of your sessions to a URL of yours, signed and in order. The guide ';
  const guide = h('a', { href: '../docs/webhooks/' }, 'Webhooks');
  const hint = h('p', text, guide, ' shows how a receiver verifies and answers them.');
  return h('section.card', { key: 'none' }, h('h2', 'No webhooks yet'), hint, register);
}

function describe(webhook: Webhook): string {
  const { session_id, subject_id, events, states, consecutive_failures: failures, queued_deliveries: queued } = webhook;
  const { last_success_at: success, last_failure_at: failure, last_failure: attempt, next_attempt_at: next } = webhook;
  const watched =
    session_id !== undefined ? `Session ${session_id}` : subject_id !== undefined && `Person ${subject_id}`;
  const ago = (instant: string) => age(Date.parse(instant), nowMs());
  const disabled = 'the receiver responded with 410, register the same URL, session and person to enable it';
  const lastFailure = failure && `last failure ${ago(failure)}${attempt ? `: ${describeAttempt(attempt)}` : ''}`;
  const failing = [
    lastFailure,
    `${count(failures, 'failed attempt')} in a row`,
    next && `next attempt at ${timeOfDay(Date.parse(next), 'seconds')}`,
  ];
  const facts = [
    ...(failures > 0 ? failing : []),
    watched || 'All sessions',
    events.map(words).join(', '),
    states && `only ${states.map(words).join(', ')}`,
    webhook.retry === 'extended' && 'extended retries',
    success && `last success ${ago(success)}`,
    failures === 0 && lastFailure,
    queued && `${count(queued, 'delivery', 'deliveries')} queued`,
    webhook.status === 'disabled' && disabled,
  ];
  return facts.filter(Boolean).join(' · ');
}
