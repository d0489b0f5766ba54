import { enums, webhookDelivery as settings } from '../../../../generated/spec.js';
import type { Webhook } from '../../../client/src/index.js';
import { h, setText } from '../dom.js';
import { capitalized, count, words } from '../format.js';
import type { Service } from '../service.js';
import { createForm, type Dialog, fieldOf, openDialog } from './dialog.js';

/** What the dialogs of the page share. */
export interface DialogParts {
  readonly service: Service;
  /** The element that contains the dialogs. */
  readonly host: HTMLElement;
  /** Called when the webhooks or their deliveries have changed. `outcome` is a sentence for the page. */
  readonly onChanged: (outcome: string) => void;
}

/** Asks for the URL, the session and the events of a webhook, registers it and shows its secret. */
export function openRegistration({ service, host, onChanged }: DialogParts): void {
  const dialog = openDialog(host);
  const plain = { type: 'text', autocomplete: 'off', spellcheck: 'false' };
  const url = h('input', { id: 'webhook-url', ...plain, inputmode: 'url', placeholder: 'https://' });
  const session = h('input', { id: 'webhook-session', ...plain });
  const events = createChoice('Events', enums.EventKind);
  const states = createChoice('Changes to', enums.State);
  const extended = h('input', { type: 'checkbox' });
  const fields = {
    url: fieldOf('URL of your receiver', url, 'The service sends each event to it as a signed POST request.'),
    session_id: fieldOf(
      'Session (optional)',
      session,
      'Without a session, the webhook gets the events of all sessions.',
    ),
    events,
    states,
  };
  const register = async () => {
    const session_id = session.value.trim();
    const webhook = await service.webhooks.register({
      url: url.value.trim(),
      events: events.chosen(),
      ...(states.chosen().length < enums.State.length && { states: states.chosen() }),
      ...(session_id !== '' && { session_id }),
      ...(extended.checked && { retry: 'extended' as const }),
    });
    if (webhook.secret !== undefined) {
      showSecret(dialog, 'Webhook registered', webhook.secret);
      return onChanged('Webhook registered.');
    }
    dialog.close();
    onChanged('This URL and session are already registered. If you have lost the secret, rotate it.');
  };
  const hours = settings.extended_retry.hours;
  const retries = h('label', { class: 'check' }, extended, `Retry failed deliveries for up to ${hours} hours`);
  const content = [fields.url.element, fields.session_id.element, events.element, states.element, retries];
  dialog.show(
    'Register a webhook',
    createForm({ content, fields, submitLabel: 'Register', onSubmit: register, onCancel: dialog.close }),
  );
}

/** Creates a group of checkboxes, all checked. */
function createChoice<Value extends string>(legend: string, values: readonly Value[]) {
  const options = values.map((value) => ({ value, input: h('input', { type: 'checkbox', checked: true }) }));
  const fault = h('span', { class: 'fault' });
  return {
    element: h(
      'fieldset',
      { class: 'field' },
      h('legend', {}, legend),
      ...options.map(({ value, input }) => h('label', { class: 'check' }, input, capitalized(words(value)))),
      fault,
    ),
    chosen: (): Value[] => options.filter(({ input }) => input.checked).map(({ value }) => value),
    showFault: (text: string) => setText(fault, text),
    focus: () => options[0]?.input.focus(),
  };
}

/** Asks before it rotates the secret, and shows the new one. */
export function openRotation({ service, host, onChanged }: DialogParts, { id, url }: Webhook): void {
  const dialog = openDialog(host);
  const rotate = async () => {
    const { secret = '' } = await service.webhooks.rotateSecret(id);
    showSecret(dialog, 'Secret rotated', secret);
    onChanged('Secret rotated.');
  };
  const content = [
    h('p', {}, 'The service creates a new secret for ', h('code', {}, url), '.'),
    h(
      'p',
      {},
      `The previous secret stays valid for ${settings.rotation_hours} hours: deliveries are signed with both. `,
      'If a secret has leaked, remove the webhook and register it again instead.',
    ),
  ];
  dialog.show(
    'Rotate the secret?',
    createForm({ content, submitLabel: 'Rotate', onSubmit: rotate, onCancel: dialog.close }),
  );
}

/** Asks before it removes the webhook. */
export function openRemoval({ service, host, onChanged }: DialogParts, { id, url }: Webhook): void {
  const dialog = openDialog(host);
  const remove = async () => {
    await service.webhooks.remove(id);
    dialog.close();
    onChanged('Webhook removed.');
  };
  const content = [
    h('p', {}, h('code', {}, url), ' gets no more events. Its queued and failed deliveries are deleted.'),
  ];
  dialog.show(
    'Remove the webhook?',
    createForm({ content, submitLabel: 'Remove', isDangerous: true, onSubmit: remove, onCancel: dialog.close }),
  );
}

/** Asks which failed deliveries of the webhook are sent again, and whether in order. */
export function openReplay({ service, host, onChanged }: DialogParts, { id, url }: Webhook): void {
  const dialog = openDialog(host);
  const since = h('input', { id: 'replay-since', type: 'datetime-local', step: 1 });
  const ordered = h('input', { id: 'replay-ordered', type: 'checkbox', checked: true });
  const hint = h('span', {});
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const explain = () =>
    setText(
      hint,
      `${ordered.checked ? 'The time of the events' : 'The time at which the deliveries failed'}, in your time zone (${zone}). Empty for all.`,
    );
  ordered.addEventListener('change', explain);
  explain();
  const fields = { since: fieldOf('Since (optional)', since, hint) };
  const retry = async () => {
    // An incomplete date has the value of an empty one.
    if (since.validity.badInput) return fields.since.showFault('Input should be a complete date and time.');
    const { count: queued } = await service.webhooks.retry({
      webhook_id: id,
      ...(since.value !== '' && { since: new Date(since.value).toISOString() }),
      ...(ordered.checked && { ordered: true }),
    });
    dialog.close();
    const rest = queued === settings.retry_max ? ' Retry again for the rest.' : '';
    onChanged(
      queued === 0 ? 'No failed deliveries match.' : `${count(queued, 'delivery', 'deliveries')} queued again.${rest}`,
    );
  };
  const order = h(
    'div',
    { class: 'field' },
    h('label', { class: 'check', for: 'replay-ordered' }, ordered, 'In order per session'),
    h(
      'span',
      { class: 'hint' },
      'Each delivery waits until the previous one of its session is delivered or has failed again. New events wait, too.',
    ),
  );
  const content = [
    h('p', {}, 'The failed deliveries of ', h('code', {}, url), ' are sent again.'),
    fields.since.element,
    order,
  ];
  dialog.show(
    'Retry failed deliveries',
    createForm({ content, fields, submitLabel: 'Retry', onSubmit: retry, onCancel: dialog.close }),
  );
}

/** Shows a secret with a button that copies it. Only the button "Done" closes the dialog. */
function showSecret(dialog: Dialog, title: string, secret: string): void {
  const outcome = h('span', { class: 'hint', role: 'status' });
  const shown = h('code', { class: 'secret', 'data-keep-open': true }, secret);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(secret);
      setText(outcome, 'Copied.');
    } catch {
      // Browsers offer the clipboard over HTTPS and on localhost only.
      getSelection()?.selectAllChildren(shown);
      setText(outcome, 'Press Ctrl+C or ⌘C to copy the selection.');
    }
  };
  dialog.show(
    title,
    h('p', { class: 'notice warning' }, 'Store this secret now. The service never shows it again.'),
    h('p', {}, 'Your receiver verifies deliveries with it:'),
    h('p', {}, shown),
    h(
      'p',
      { class: 'dialog-buttons' },
      outcome,
      h('button', { type: 'button', class: 'secondary', onclick: () => void copy() }, 'Copy'),
      h('button', { type: 'button', class: 'primary', onclick: dialog.close }, 'Done'),
    ),
  );
}
