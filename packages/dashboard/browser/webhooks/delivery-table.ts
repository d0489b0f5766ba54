import type { Delivery, Webhook } from '../../../client/src/index.js';
import { type Content, h, show } from '../dom.js';
import { count, dateAndTime, dayAndMonth, timeOfDay, words } from '../format.js';
import { badge, button, controlledCard, createSelect, createStatus, createTable } from '../parts.js';
import { poll, reasonOf, type Service } from '../service.js';

const outcomes = ['delivered', 'failed'] as const;
const outcomeChoices = [['', 'All outcomes'], ...outcomes.map((it) => [it, `Only ${it}`] as const)] as const;
/** The table grows by this number. */
const shownStep = 50;

/** Returns the delivered and failed deliveries of all webhooks, newest first, with the chosen one beside them. */
export function createDeliveryTable(service: Service, signal: AbortSignal) {
  let webhooks: readonly Webhook[] = [];
  let shown: readonly Delivery[] = [];
  let shownMax = shownStep;
  let chosen: string | undefined;
  const choose = { onchange: () => void reload() };
  const target = createSelect([], { 'aria-label': 'Webhook', ...choose });
  const status = createSelect(outcomeChoices, { 'aria-label': 'Outcome', ...choose });
  const heads = ['Event', 'Time', 'Status', 'Attempts', 'Last attempt took'];
  const table = createTable('Table of deliveries', heads, 'list-table deliveries');
  const note = h('p.hint');
  const more = button('Show more', () => {
    shownMax += shownStep;
    void reload();
  });
  const panel = h('aside.panel', { 'aria-label': 'Delivery', hidden: true });
  const content = h('div.with-panel', h('div', table.element, note, more), panel);
  const element = controlledCard('Deliveries', [h('div.filters', target, status)], content);

  const load = async () => {
    const outcome = outcomes.find((it) => it === status.value);
    const filter = { ...(target.value && { webhook_id: target.value }), ...(outcome && { status: outcome }) };
    const found: Delivery[] = [];
    // One more than the page shows, to find out whether there are more.
    for await (const delivery of service.webhooks.deliveries(filter, { signal }))
      if (found.push(delivery) > shownMax) break;
    more.hidden = found.length <= shownMax;
    shown = found.slice(0, shownMax).toSorted((a, b) => b.payload.timestamp.localeCompare(a.payload.timestamp));
    draw();
    const number = count(shown.length, 'delivery', 'deliveries');
    show(note, shown.length === 0 ? 'None in the last days.' : `${number}, newest event first.`);
  };
  const reload = () => load().catch((error: unknown) => signal.aborted || show(note, reasonOf(error)));
  const draw = () => {
    const rows = shown.map((it, index) => {
      const [day, previous] = [it, shown[index - 1]].map((of) => of && dayAndMonth(Date.parse(of.payload.timestamp)));
      const heading = day !== previous && h('tr.group', { key: day }, h('th', { scope: 'rowgroup', colspan: 5 }, day));
      return [heading, deliveryRow(it, webhooks.length > 1 && urlOf(it), it.id === chosen, open)];
    });
    show(table.body, rows);
    table.element.hidden = shown.length === 0;
  };
  const urlOf = ({ webhook_id }: Delivery) => webhooks.find(({ id }) => id === webhook_id)?.url ?? 'a removed webhook';
  const open = (delivery: Delivery) => {
    chosen = delivery.id;
    draw();
    panel.replaceChildren(...describe(delivery, urlOf(delivery), retry, close));
    panel.hidden = false;
    panel.querySelector<HTMLElement>('h3')?.focus();
  };
  /** Closing the panel returns to the row of its delivery. */
  const close = () => {
    const row = table.body.querySelector<HTMLElement>(`[data-key="${chosen}"] button`);
    panel.hidden = true;
    chosen = undefined;
    draw();
    (row ?? target).focus();
  };
  /** Queues a failed delivery again, and waits until its first attempt has an outcome. */
  const retry = async ({ id }: Delivery, say: (text: string) => void) => {
    try {
      const { count: queued } = await service.webhooks.retry({ delivery_ids: [id] });
      if (queued === 0) return say('This delivery is no longer listed as failed.');
      say('Queued again.');
      const settled = await poll(signal, async () => {
        const delivery = await service.webhooks.delivery(id, { signal });
        return delivery.status === 'pending' ? undefined : delivery;
      });
      if (settled && chosen === id) open(settled);
      if (!settled) say('The first attempt failed or is still running. Retries follow by the schedule.');
      await load();
    } catch (error) {
      say(reasonOf(error));
    }
  };
  return {
    element,
    /** Requests the deliveries again. Rows that did not change keep their focus. */
    load(all: readonly Webhook[]) {
      webhooks = all;
      element.hidden = all.length === 0;
      const options = [{ id: '', url: 'All webhooks' }, ...all];
      show(target, ...options.map(({ id, url }) => h('option', { value: id, key: id }, url)));
      return load();
    },
  };
}

function deliveryRow(delivery: Delivery, url: Content, isChosen: boolean, open: (delivery: Delivery) => void) {
  const { id, payload, attempts, status } = delivery;
  const change = ` ${words(payload.previous_state)} → ${words(payload.new_state)}, score ${payload.stress_score}`;
  const event = [h('strong', payload.session_id), change];
  return h(
    'tr',
    { key: id, 'data-chosen': isChosen },
    h(
      'th',
      { scope: 'row' },
      h('button.name', { type: 'button', onclick: () => open(delivery) }, event),
      h('div.hint', url),
    ),
    h('td', timeOfDay(Date.parse(payload.timestamp), 'seconds')),
    h('td', badge(status)),
    h('td', attempts.length),
    h('td', attempts.length === 0 ? '–' : `${attempts.at(-1)?.duration_ms} ms`),
  );
}

type Retry = (delivery: Delivery, say: (text: string) => void) => Promise<void>;

/** Returns the content of the panel. */
function describe(delivery: Delivery, url: string, onRetry: Retry, close: () => void) {
  const { id, payload, attempts, status, reason } = delivery;
  const said = createStatus();
  const retry = button('Retry', () => {
    retry.disabled = true;
    void onRetry(delivery, said.say).finally(() => (retry.disabled = false));
  });
  const title = h('h3', { tabindex: -1 }, payload.session_id);
  return [
    h('div.line', title, h('span.line.end', status === 'failed' && retry, button('Close', close))),
    h('p.hint', badge(status, reason === undefined ? status : `${status}: ${words(reason)}`), ` ${id} to ${url}`),
    said.element,
    h('pre', JSON.stringify(payload, null, 2)),
    h('h3', count(attempts.length, 'attempt')),
    h('ol.attempts', attempts.map(attemptRow)),
  ];
}

function attemptRow({ timestamp, status, error, duration_ms: ms, answer }: Delivery['attempts'][number]) {
  const outcome = status === undefined ? words(error ?? 'no response') : `status ${status}`;
  const text = `${dateAndTime(Date.parse(timestamp))} · ${outcome} · ${ms} ms`;
  return h('li', text, answer !== undefined && answer !== '' && h('pre', answer));
}
