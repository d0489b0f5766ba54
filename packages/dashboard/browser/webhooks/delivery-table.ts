import type { Delivery, EventDelivery, Webhook } from '../../../client/src/index.js';
import { enums } from '../../../../generated/spec.js';
import { type Content, h, show } from '../../../ui/dom.js';
import { count, dateAndTime, dayAndMonth, timeOfDay, words } from '../../../ui/format.js';
import { nameOf } from '../names.js';
import { badge, button, controlledCard, createSelect, createStatus, createTable, optional } from '../../../ui/parts.js';
import { poll, reasonOf, type Service } from '../service.js';

type AnyDelivery = Delivery | EventDelivery;
const outcomes = enums.DeliveryOutcome;
/** The table grows by this number. */
const shownStep = 50;

/** Returns the deliveries of all webhooks, newest event first, with the chosen one beside them. */
export function createDeliveryTable(service: Service, signal: AbortSignal) {
  let webhooks: readonly Webhook[] = [];
  let shown: readonly AnyDelivery[] = [];
  let shownMax = shownStep;
  let chosen: string | undefined;
  let requests = 0;
  const choose = { onchange: () => void reload() };
  const target = createSelect([], { 'aria-label': 'Webhook', ...choose });
  const status = createSelect(optional('All outcomes', outcomes), { 'aria-label': 'Outcome', ...choose });
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

  /** Returns the newest deliveries, at least one more than the page shows if there are more. */
  const list = async (outcome: (typeof outcomes)[number] | undefined, webhook_id = target.value) => {
    const found: AnyDelivery[] = [];
    const filter = { ...(webhook_id && { webhook_id }), ...(outcome && { status: outcome }) };
    for (let cursor: string | null | undefined; cursor !== null && found.length <= shownMax;) {
      const page = await service.webhooks.deliveries({ ...filter, ...(cursor && { cursor }) }, { signal });
      found.push(...page.deliveries, ...(page.event_deliveries ?? []));
      cursor = page.next_cursor;
    }
    return found;
  };
  /** Without an outcome, the service lists no pending deliveries. */
  const listAll = async (webhook_id?: string) =>
    (await Promise.all([list('pending', webhook_id), list(undefined, webhook_id)])).flat();
  const load = async () => {
    const request = (requests += 1);
    const outcome = outcomes.find((it) => it === status.value);
    const found = await (outcome ? list(outcome) : listAll());
    // A later request may have been for another choice.
    if (request !== requests) return;
    more.hidden = found.length <= shownMax;
    shown = found.toSorted((a, b) => timeOf(b) - timeOf(a)).slice(0, shownMax);
    draw();
    const number = count(shown.length, 'delivery', 'deliveries');
    show(note, shown.length === 0 ? 'None in the last days.' : `${number}, newest event first.`);
  };
  const reload = () => load().catch((error: unknown) => signal.aborted || show(note, reasonOf(error)));
  const draw = () => {
    const rows = shown.map((it, index) => {
      const [day, previous] = [it, shown[index - 1]].map((of) => of && dayAndMonth(timeOf(of)));
      const heading = day !== previous && h('tr.group', { key: day }, h('th', { scope: 'rowgroup', colspan: 5 }, day));
      return [heading, deliveryRow(it, webhooks.length > 1 && urlOf(it), it.id === chosen, open)];
    });
    show(table.body, rows);
    table.element.hidden = shown.length === 0;
  };
  const urlOf = ({ webhook_id }: AnyDelivery) =>
    webhooks.find(({ id }) => id === webhook_id)?.url ?? 'a removed webhook';
  const open = (delivery: AnyDelivery) => {
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
  const retry = async ({ id, webhook_id }: AnyDelivery, say: (text: string) => void) => {
    try {
      const { count: queued } = await service.webhooks.retry({ delivery_ids: [id] });
      if (queued === 0) return say('This delivery is no longer listed as failed.');
      say('Queued again.');
      const settled = await poll(signal, async () => {
        const delivery = (await listAll(webhook_id)).find((it) => it.id === id);
        return delivery?.status === 'pending' ? undefined : delivery;
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

function timeOf({ payload }: AnyDelivery): number {
  return Date.parse(String(payload['timestamp']));
}

/** Returns the session or the person of an event, and what happened. */
function describeEvent(delivery: AnyDelivery): readonly [whose: string, what: string] {
  if ('event' in delivery) {
    const { subject_id, condition, topic } = delivery.payload as Readonly<Record<string, string>>;
    return [nameOf(subject_id ?? ''), `${words(delivery.event)}, ${words(condition ?? topic ?? '')}`];
  }
  const { session_id, previous_state, new_state, stress_score } = delivery.payload;
  return [nameOf(session_id), `${words(previous_state)} → ${words(new_state)}, score ${stress_score}`];
}

function deliveryRow(delivery: AnyDelivery, url: Content, isChosen: boolean, open: (delivery: AnyDelivery) => void) {
  const { id, attempts, status } = delivery;
  const [whose, what] = describeEvent(delivery);
  return h(
    'tr',
    { key: id, 'data-chosen': isChosen },
    h(
      'th',
      { scope: 'row' },
      h('button.name', { type: 'button', onclick: () => open(delivery) }, h('strong', whose), ` ${what}`),
      h('div.hint', url),
    ),
    h('td', timeOfDay(timeOf(delivery), 'seconds')),
    h('td', badge(status)),
    h('td', attempts.length),
    h('td', attempts.length === 0 ? '–' : `${attempts.at(-1)?.duration_ms} ms`),
  );
}

type Retry = (delivery: AnyDelivery, say: (text: string) => void) => Promise<void>;

/** Returns the content of the panel. */
function describe(delivery: AnyDelivery, url: string, onRetry: Retry, close: () => void) {
  const { id, payload, attempts, status, reason } = delivery;
  const said = createStatus();
  const retry = button('Retry', () => {
    retry.disabled = true;
    void onRetry(delivery, said.say).finally(() => (retry.disabled = false));
  });
  const title = h('h3', { tabindex: -1 }, describeEvent(delivery)[0]);
  return [
    h('div.line', title, h('span.line.end', status === 'failed' && retry, button('Close', close))),
    h('p.hint', badge(status, reason === undefined ? status : `${status}: ${words(reason)}`), ` ${id} to ${url}`),
    said.element,
    h('pre', JSON.stringify(payload, null, 2)),
    h('h3', count(attempts.length, 'attempt')),
    attempts.length === 0
      ? h('p.hint', 'Events of a session are sent in order, after earlier ones.')
      : h('ol.attempts', attempts.map(attemptRow)),
  ];
}

type Attempt = Delivery['attempts'][number];

/** Returns what an attempt resulted in, e.g. `status 503` or `timeout`. */
export function describeAttempt({ status, error }: Attempt): string {
  return status === undefined ? words(error ?? 'no response') : `status ${status}`;
}

function attemptRow(attempt: Attempt) {
  const { timestamp, duration_ms: ms, answer } = attempt;
  const text = `${dateAndTime(Date.parse(timestamp))} · ${describeAttempt(attempt)} · ${ms} ms`;
  return h('li', text, answer !== undefined && answer !== '' && h('pre', answer));
}
