import { enums, webhookDelivery as settings } from '../../../../generated/spec.js';
import type { Webhook } from '../../../client/src/index.js';
import { type Content, h, show } from '../../../ui/dom.js';
import { count } from '../../../ui/format.js';
import { timeZone } from '../../../sentence/calendar.js';
import { nameOf } from '../names.js';
import { checkbox, createChecks, createField } from '../../../ui/parts.js';
import type { Service } from '../service.js';
import { receiver } from './receiver.js';
import { type Dialog, openConfirmation, openForm, showSecret } from './dialog.js';

const secretNote =
  'Store this secret now: the service never shows it again. Your receiver verifies deliveries with it.';

/** What the dialogs of the page share. */
export interface DialogParts {
  readonly service: Service;
  /** The element that contains the dialogs. */
  readonly host: HTMLElement;
  /** Called when the webhooks or their deliveries have changed. `outcome` is a sentence for the page. */
  readonly onChanged: (outcome: string) => void;
}

/**
 * Asks for the URL, the session and the events of a webhook, registers it and shows its secret. `why` says what requires
 * it, and `chosen` are the events to begin with.
 */
export function openRegistration(
  { service, host, onChanged }: DialogParts,
  chosen: Readonly<Webhook['events']> = enums.EventKind,
  why: Content = false,
): void {
  const plain = { type: 'text', autocomplete: 'off', spellcheck: 'false' };
  const url = h('input', { ...plain, inputmode: 'url', placeholder: 'https://' });
  const session = h('input', plain);
  const people = h('datalist', { id: 'webhook-people' });
  const person = h('input', { ...plain, list: 'webhook-people' });
  void service.sessions({ sort: 'activity' }).then(
    ({ sessions }) => {
      const ids = new Set(sessions.flatMap((it) => it.subject_id ?? []));
      show(people, ...[...ids].map((id) => h('option', { value: id }, nameOf(id))));
    },
    // Without suggestions, an id can still be typed.
    () => undefined,
  );
  const [events, states] = [
    createChecks('Events', enums.EventKind, undefined, chosen),
    createChecks('Changes to', enums.State),
  ];
  const extended = h('input', { type: 'checkbox' });
  const urlHint = 'The service sends each event to it as a signed POST request.';
  const sessionHint = 'Without a session or a person, the webhook gets the events of all sessions.';
  const personHint = 'The events of all sessions of this person, also of later ones.';
  const fields = {
    url: createField('URL of your receiver', url, urlHint, 'webhook-url'),
    session_id: createField('Session (optional)', session, sessionHint, 'webhook-session'),
    subject_id: createField('Person (optional)', person, personHint, 'webhook-person'),
    events,
    states,
  };
  const onSubmit = async (dialog: Dialog) => {
    const [session_id, subject_id] = [session.value.trim(), person.value.trim()];
    const { secret } = await service.webhooks.register({
      url: url.value.trim(),
      events: events.chosen(),
      ...(states.chosen().length < enums.State.length && { states: states.chosen() }),
      ...(session_id !== '' && { session_id }),
      ...(subject_id !== '' && { subject_id }),
      ...(extended.checked && { retry: 'extended' as const }),
    });
    if (secret === undefined) dialog.close();
    else showSecret(dialog, 'Webhook registered', secretNote, 'Secret', secret);
    const known = 'This URL is already registered for this session or person. If you have lost the secret, rotate it.';
    onChanged(secret === undefined ? known : 'Webhook registered.');
  };
  const retries = `Retry failed deliveries for up to ${settings.extended_retry.hours} hours`;
  const start = 'Start it with npm install standardwebhooks, and with the secret in WEBHOOK_SECRET:';
  const code = h('pre', { tabindex: 0, role: 'region', 'aria-label': 'Receiver' }, receiver);
  const example = h('details', h('summary', 'A receiver to copy'), h('p.hint', start), code);
  const inputs = Object.values(fields).map(({ element }) => element);
  const content = [why !== false && h('p.notice', why), inputs, people, checkbox(retries, extended), example];
  openForm(host, { title: 'Register a webhook', content, fields, submitLabel: 'Register', onSubmit });
}

/** Asks before it rotates the secret, and shows the new one. */
export function openRotation({ service, host, onChanged }: DialogParts, { id, url }: Webhook): void {
  const onSubmit = async (dialog: Dialog) => {
    const { secret = '' } = await service.webhooks.rotateSecret(id);
    showSecret(dialog, 'Secret rotated', secretNote, 'Secret', secret);
    onChanged('Secret rotated.');
  };
  const hint = `The previous secret stays valid for ${settings.rotation_hours} hours: deliveries are signed with both. If a secret has leaked, remove the webhook and register it again instead.`;
  const content = [h('p', 'The service creates a new secret for ', h('code', url), '.'), h('p', hint)];
  openForm(host, { title: 'Rotate the secret?', content, submitLabel: 'Rotate', onSubmit });
}

/** Asks before it removes the webhook. */
export function openRemoval({ service, host, onChanged }: DialogParts, { id, url }: Webhook): void {
  const content = [h('code', url), ' gets no more events. Its queued and failed deliveries are deleted.'];
  openConfirmation(host, ['Remove the webhook?', 'Remove'], content, () =>
    service.webhooks.remove(id).then(() => onChanged('Webhook removed.')),
  );
}

/** Asks which failed deliveries of the webhook are sent again, and whether in order. */
export function openReplay({ service, host, onChanged }: DialogParts, { id, url }: Webhook): void {
  const since = h('input', { type: 'datetime-local', step: 1 });
  const hint = h('span');
  const explain = () => {
    const meaning = ordered.checked ? 'The time of the events' : 'The time at which the deliveries failed';
    show(hint, `${meaning}, in your time zone (${timeZone()}). Empty for all.`);
  };
  const ordered = h('input', { type: 'checkbox', checked: true, onchange: explain });
  explain();
  const fields = { since: createField('Since (optional)', since, hint) };
  const onSubmit = async (dialog: Dialog) => {
    // An incomplete date has the value of an empty one.
    if (since.validity.badInput) return fields.since.showFault('Input should be a complete date and time.');
    const { count: queued } = await service.webhooks.retry({
      webhook_id: id,
      ...(since.value !== '' && { since: new Date(since.value).toISOString() }),
      ...(ordered.checked && { ordered: true }),
    });
    dialog.close();
    const rest = queued === settings.retry_max ? ' Retry again for the rest.' : '';
    const outcome = `${count(queued, 'delivery', 'deliveries')} queued again.${rest}`;
    onChanged(queued === 0 ? 'No failed deliveries match.' : outcome);
  };
  const orderHint =
    'Each delivery waits until the previous one of its session is delivered or has failed again. New events wait, too.';
  const order = h('div.field', checkbox('In order per session', ordered), h('span.hint', orderHint));
  const content = [
    h('p', 'The failed deliveries of ', h('code', url), ' are sent again.'),
    fields.since.element,
    order,
  ];
  openForm(host, { title: 'Retry failed deliveries', content, fields, submitLabel: 'Retry', onSubmit });
}
