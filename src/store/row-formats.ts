import type { Answer, Session } from '../domain/session.js';
import type { Subject } from '../domain/subject.js';
import type { Trigger } from '../domain/triggers.js';
import { rowFormat } from './row-format.js';
import type { StoredWebhook } from './webhooks.js';

/** The JSON columns. Every released version stays readable: see `row-formats.test.ts`. */
export const rowFormats = {
  session: rowFormat<Omit<Session, 'subjectId'>>('session'),
  subject: rowFormat<Subject>('subject'),
  response: rowFormat<Answer>('response'),
  statusChanges: rowFormat<Pick<Trigger, 'changes'>>('list of status changes'),
  webhook: rowFormat<Omit<StoredWebhook, WebhookColumn>>('webhook'),
};

/** Fields of a webhook that have a column of their own. */
type WebhookColumn = 'webhookId' | 'url' | 'sessionId' | 'subjectId' | 'registeredEpoch' | 'disabledEpoch';
