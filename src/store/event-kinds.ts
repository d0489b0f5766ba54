import type { Schema } from '../contract/contract.js';
import type { StoredWebhook } from './webhooks.js';

/** The body of an event. `event` is its kind. */
export type EventBody = Schema<'StateChange'> | Schema<'Alert'> | Schema<'TriggerActive'>;

interface EventKind<Body> {
  /** True for an event of a person, which no webhook of a session receives. */
  readonly isOfPerson: boolean;
  /** Returns true if a webhook for this kind gets the event. Absent: it gets all of them. */
  readonly selects?: (webhook: StoredWebhook, body: Body) => boolean;
}

/** All kinds of events. A further kind has its name and body in the contract, and a row here. Any code may then append it. */
export const eventKinds: { readonly [Kind in Schema<'EventKind'>]: EventKind<Extract<EventBody, { event: Kind }>> } = {
  state_change: {
    isOfPerson: false,
    selects: ({ states }, { new_state }) => states === undefined || states.includes(new_state),
  },
  alert: { isOfPerson: true },
  trigger_active: { isOfPerson: true },
};

/** Returns true if the webhook is for events of this kind, and selects this one. */
export function selectsEvent(webhook: StoredWebhook, body: EventBody): boolean {
  if (!webhook.events.includes(body.event)) return false;
  const { selects }: EventKind<never> = eventKinds[body.event];
  return selects?.(webhook, body as never) ?? true;
}
