import type { Delivery, Webhook } from '../../../client/src/index.js';
import { h, setText, smallButton } from '../dom.js';
import { count, dateAndTime, words } from '../format.js';
import { reasonOf, type Service } from '../service.js';
import { wait } from '../wait.js';

type Attempt = Delivery['attempts'][number];
const outcomes = ['delivered', 'failed'] as const;
/** The table grows by this number. */
const shownStep = 50;
/** The page requests the outcome of a retry up to `times` times, with a pause between two requests. */
const retryChecks = { times: 10, pauseMs: 500 };

/** Returns the delivered and failed deliveries of all webhooks, newest first, with the chosen one beside them. */
export function createDeliveryTable(service: Service, signal: AbortSignal) {
  let webhooks: readonly Webhook[] = [];
  let present = '';
  let shownMax = shownStep;
  let chosen: string | undefined;
  const choose = { onchange: () => void reload() };
  const target = h('select', { 'aria-label': 'Webhook', ...choose });
  const status = h(
    'select',
    { 'aria-label': 'Outcome', ...choose },
    h('option', { value: '' }, 'All outcomes'),
    ...outcomes.map((it) => h('option', { value: it }, `Only ${it}`)),
  );
  const heads = ['Time', 'Event', 'Status', 'Attempts', 'Duration'];
  const body = h('tbody', {});
  const table = h(
    'table',
    { class: 'list-table deliveries' },
    h('thead', {}, h('tr', {}, ...heads.map((it) => h('th', { scope: 'col' }, it)))),
    body,
  );
  const note = h('p', { class: 'hint' });
  const more = smallButton('Show more', () => {
    shownMax += shownStep;
    void reload();
  });
  const panel = h('aside', { class: 'panel', 'aria-label': 'Delivery', hidden: true });
  const scrolled = h(
    'div',
    { class: 'scrolled', tabindex: 0, role: 'region', 'aria-label': 'Table of deliveries' },
    table,
  );
  const element = h(
    'section',
    { class: 'card', 'aria-labelledby': 'deliveries-title', hidden: true },
    h(
      'div',
      { class: 'card-head' },
      h('h2', { id: 'deliveries-title' }, 'Deliveries'),
      h('div', { class: 'list-filter end' }, target, status),
    ),
    h('div', { class: 'with-panel' }, h('div', {}, scrolled, note, more), panel),
  );

  const find = async () => {
    const outcome = outcomes.find((it) => it === status.value);
    const filter = { ...(target.value && { webhook_id: target.value }), ...(outcome && { status: outcome }) };
    const found: Delivery[] = [];
    // One more than the page shows, to find out whether there are more.
    for await (const delivery of service.webhooks.deliveries(filter, { signal }))
      if (found.push(delivery) > shownMax) break;
    return found;
  };
  const load = async () => {
    const found = await find();
    more.hidden = found.length <= shownMax;
    const shown = found.slice(0, shownMax).toSorted((a, b) => b.payload.timestamp.localeCompare(a.payload.timestamp));
    if (JSON.stringify(shown) === present) return;
    present = JSON.stringify(shown);
    const focused = body.querySelector<HTMLElement>('button:focus')?.dataset['id'];
    body.replaceChildren(...shown.map(rowOf));
    body.querySelector<HTMLElement>(`[data-id="${focused}"]`)?.focus();
    table.hidden = shown.length === 0;
    const number = count(shown.length, 'delivery', 'deliveries');
    setText(note, shown.length === 0 ? 'None in the last days.' : `${number}, newest event first.`);
  };
  const reload = () => load().catch((error: unknown) => signal.aborted || setText(note, reasonOf(error)));
  const rowOf = (delivery: Delivery) => {
    const { id, payload, attempts } = delivery;
    const button = h('button', { type: 'button', class: 'name', 'data-id': id }, dateAndTime(payload.timestamp));
    button.addEventListener('click', () => show(delivery, button));
    const change = `${words(payload.previous_state)} → ${words(payload.new_state)}, score ${payload.stress_score}`;
    const event = h('td', {}, h('strong', {}, payload.session_id), ` ${change}`);
    const badge = h('span', { class: `badge ${delivery.status}` }, delivery.status);
    const cells = [event, h('td', {}, badge), h('td', {}, attempts.length)];
    const duration = h('td', {}, attempts.length === 0 ? '–' : `${attempts.at(-1)?.duration_ms} ms`);
    return h('tr', { 'data-chosen': id === chosen }, h('th', { scope: 'row' }, button), ...cells, duration);
  };
  /** Shows a delivery in the panel. Closing it returns to its row. */
  const show = (delivery: Delivery, opener: HTMLElement) => {
    const { id, webhook_id, payload, attempts, status: outcome } = delivery;
    chosen = id;
    for (const row of body.rows) row.toggleAttribute('data-chosen', row.contains(opener));
    const said = h('p', { class: 'outcome', role: 'status' });
    const close = smallButton('Close', () => {
      panel.hidden = true;
      chosen = undefined;
      for (const row of body.rows) row.removeAttribute('data-chosen');
      (body.querySelector<HTMLElement>(`[data-id="${id}"]`) ?? target).focus();
    });
    const retry = smallButton('Retry', () => {
      retry.disabled = true;
      again(id, said, opener)
        .catch((error: unknown) => setText(said, reasonOf(error)))
        .finally(() => (retry.disabled = false));
    });
    const title = h('h3', { tabindex: -1 }, payload.session_id);
    const url = webhooks.find((it) => it.id === webhook_id)?.url ?? 'a removed webhook';
    panel.replaceChildren(
      h('div', { class: 'card-head' }, title, h('span', {}, outcome === 'failed' && retry, ' ', close)),
      h('p', { class: 'hint' }, badgeOf(delivery), ` ${id} to ${url}`),
      said,
      h('pre', {}, JSON.stringify(payload, null, 2)),
      h('h3', {}, count(attempts.length, 'attempt')),
      h('ol', { class: 'attempts' }, ...attempts.map(attemptRow)),
    );
    panel.hidden = false;
    title.focus();
  };
  /** Queues a failed delivery again, and waits until its first attempt has an outcome. */
  const again = async (id: string, said: HTMLElement, opener: HTMLElement) => {
    const { count: queued } = await service.webhooks.retry({ delivery_ids: [id] });
    setText(said, queued === 1 ? 'Queued again.' : 'This delivery is no longer listed as failed.');
    for (let tries = 0; queued === 1 && tries < retryChecks.times && !signal.aborted; tries += 1) {
      await wait(retryChecks.pauseMs, signal);
      const delivery = await service.webhooks.delivery(id, { signal });
      if (delivery.status === 'pending') continue;
      if (chosen === id) show(delivery, opener);
      return load();
    }
    if (queued === 1) setText(said, 'The first attempt failed or is still running. Retries follow by the schedule.');
    return load();
  };
  return {
    element,
    /** Requests the deliveries again. Rows that did not change keep their focus. */
    load(all: readonly Webhook[]) {
      webhooks = all;
      element.hidden = all.length === 0;
      const options = [{ id: '', url: 'All webhooks' }, ...all];
      if (options.map(({ id }) => id).join() !== [...target.options].map(({ value }) => value).join()) {
        const { value } = target;
        target.replaceChildren(...options.map(({ id, url }) => h('option', { value: id }, url)));
        target.value = all.some(({ id }) => id === value) ? value : '';
      }
      return load();
    },
  };
}

function badgeOf({ status, reason }: Delivery): HTMLElement {
  return h('span', { class: `badge ${status}` }, reason === undefined ? status : `${status}: ${words(reason)}`);
}

function attemptRow({ timestamp, status, error, duration_ms: ms, answer }: Attempt): HTMLElement {
  const outcome = status === undefined ? words(error ?? 'no response') : `status ${status}`;
  return h('li', {}, `${dateAndTime(timestamp)} · ${outcome} · ${ms} ms`, answer ? h('pre', {}, answer) : undefined);
}
