import type { StoredConsent } from './consents.js';
import type { AccountSettings } from '../contract/contract.js';
import type { Measured } from '../score/signals.js';
import type { Trigger } from '../score/triggers.js';
import { rowFormat } from './row-format.js';
import type { StoredWebhook } from './webhooks.js';
import type { ComputedState, Session, Subject } from '../score/remembered.js';

/** Formats of the JSON columns. Every released version stays readable: see `row-formats.test.ts`. */
export const rowFormats = {
  accountSettings: rowFormat<AccountSettings>('set of account settings'),
  session: rowFormat<Omit<Session, 'subjectId'>>('session'),
  subject: rowFormat<Subject>('subject'),
  consent: rowFormat<Omit<StoredConsent, 'version' | 'recordedAtMs'>>('consent'),
  signals: rowFormat<Measured>('list of signals'),
  response: rowFormat<StoredResponse>('response'),
  statusChanges: rowFormat<Pick<Trigger, 'changes'>>('list of status changes'),
  webhook: rowFormat<Omit<StoredWebhook, WebhookColumn>>('webhook'),
};

/** The part of a computed state that the other columns of its reading do not contain. */
type StoredResponse = Pick<ComputedState, 'reason' | 'learned'> & Partial<ComputedState>;

/** Fields of a webhook that have a separate column. */
type WebhookColumn = 'webhookId' | 'url' | 'sessionId' | 'subjectId' | 'registeredEpoch' | 'disabledEpoch';
