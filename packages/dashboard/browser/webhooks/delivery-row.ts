import type { Delivery } from '../../../client/src/index.js';
import { h } from '../dom.js';
import { count, dateAndTime, words } from '../format.js';
import { reasonOf } from '../service.js';

export interface RowOptions {
  /** Shown where deliveries of several webhooks are listed. */
  readonly url?: string;
  /** Present where the delivery can be retried. */
  readonly retry?: () => Promise<void>;
}

type Attempt = Delivery['attempts'][number];

/** Returns a delivery with its event and its outcome. Details are its payload and its attempts with their responses. */
export function deliveryRow(delivery: Delivery, { url, retry }: RowOptions = {}): HTMLElement {
  const { id, status, payload, attempts, reason } = delivery;
  const change = `${words(payload.previous_state)} → ${words(payload.new_state)}, score ${payload.stress_score}`;
  const outcome = reason === undefined ? status : `${status}: ${words(reason)}`;
  return h(
    'li',
    { class: 'delivery' },
    h(
      'div',
      { class: 'delivery-text' },
      h(
        'p',
        {},
        h('span', { class: `badge ${status}` }, outcome),
        ' ',
        h('strong', {}, payload.session_id),
        ` ${change}`,
      ),
      h('p', { class: 'hint' }, `${dateAndTime(payload.timestamp)} · ${id}${url === undefined ? '' : ` · to ${url}`}`),
      h(
        'details',
        {},
        h('summary', {}, `Payload and ${count(attempts.length, 'attempt')}`),
        h('pre', {}, JSON.stringify(payload, null, 2)),
        h('ol', { class: 'attempts' }, ...attempts.map(attemptRow)),
      ),
    ),
    retry && retryButton(id, retry),
  );
}

function retryButton(id: string, retry: () => Promise<void>): HTMLElement {
  const fault = h('span', { class: 'fault', role: 'alert' });
  const button = h('button', { type: 'button', class: 'secondary small', 'aria-label': `Retry ${id}` }, 'Retry');
  button.addEventListener('click', () => {
    button.disabled = true;
    retry()
      .catch((error: unknown) => (fault.textContent = reasonOf(error)))
      .finally(() => (button.disabled = false));
  });
  return h('div', { class: 'delivery-action' }, button, fault);
}

function attemptRow({ timestamp, status, error, duration_ms: ms, answer }: Attempt): HTMLElement {
  const outcome = status === undefined ? words(error ?? 'no response') : `status ${status}`;
  const text = `${dateAndTime(timestamp)} · ${outcome} · ${ms} ms`;
  return h('li', {}, text, answer ? h('pre', {}, answer) : undefined);
}
