import type { Webhook } from '../../../client/src/index.js';
import { nowMs } from '../clock.js';
import { age, count, words } from '../format.js';
import { h, setText, smallButton } from '../dom.js';
import { reasonOf } from '../service.js';
import { wait } from '../wait.js';
import { type DialogParts, openRemoval, openReplay, openRotation } from './webhook-dialogs.js';

/** The page requests the result of a test up to `times` times, with a pause between two requests. */
const testChecks = { times: 12, pauseMs: 500 };

/** Creates the card of a webhook: its status, and buttons for what can be done with it. */
export function createWebhookCard(parts: DialogParts, id: string, signal: AbortSignal, onTested: () => Promise<void>) {
  const { service } = parts;
  const url = h('h2', { class: 'webhook-url' });
  const badge = h('span', { class: 'badge' });
  const facts = h('p', { class: 'hint' });
  const outcome = h('span', { class: 'hint', role: 'status' });
  const button = smallButton('Send test');
  let current: Webhook | undefined;
  const opener = (label: string, open: (parts: DialogParts, webhook: Webhook) => void) =>
    smallButton(`${label} …`, () => current && open(parts, current));
  const removal = opener('Remove', openRemoval);
  removal.classList.add('danger');
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
      outcome,
      removal,
    ),
  );

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
  return {
    element,
    show(webhook: Webhook) {
      current = webhook;
      setText(url, webhook.url);
      setText(badge, webhook.status);
      badge.className = `badge ${webhook.status}`;
      setText(facts, factsOf(webhook));
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
