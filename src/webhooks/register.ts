import { setTimeout as sleep } from 'node:timers/promises';
import { webhookDelivery as settings } from '../../generated/spec.js';
import type { Schema } from '../contract/contract.js';
import { createBothNamedFault, createFault, createValidationError, ProblemError } from '../contract/problem.js';
import { readWhose, toWhoseKey } from '../contract/whose.js';
import { createAlertTable } from '../store/alerts.js';
import { eventKinds } from '../store/event-kinds.js';
import type { WriteScope } from '../store/scope.js';
import { createSessionWriter } from '../store/sessions.js';
import { findWatched, type StoredWebhook, createWebhookTable } from '../store/webhooks.js';
import { createWebhookId } from './queues.js';
import type { ResolveName } from './resolve-name.js';
import { issueSecret, type SecretBox } from './secrets.js';
import { findAddressFault, findUrlFault, readLiteralAddress, type TargetPolicy } from './target.js';

/**
 * Time limit for resolving the name, in ms. If it expires, the name is accepted, because each attempt checks the
 * addresses again.
 */
const resolveMs = 2_000;

export interface TargetChecks {
  readonly targetPolicy: TargetPolicy;
  readonly resolveName: ResolveName;
}

/**
 * Throws a ProblemError if the URL is not allowed as a target, if the registration names a session and a subject, or if it
 * names a session and events of people.
 */
export async function requireTarget(
  { url, session_id, subject_id, events }: Schema<'WebhookRegistration'>,
  accountId: string,
  checks: TargetChecks,
): Promise<void> {
  const code = findUrlFault(url, checks.targetPolicy) ?? (await findNameFault(new URL(url), accountId, checks));
  const faults = code ? [createFault(code, { pointer: '/url' })] : [];
  if (session_id !== undefined && subject_id !== undefined)
    faults.push(createBothNamedFault({ pointer: '/subject_id' }));
  for (const [index, event] of events.entries())
    if (session_id !== undefined && eventKinds[event].isOfPerson)
      faults.push(createFault('event_of_person', { pointer: `/events/${index}` }, event));
  if (faults.length > 0) throw new ProblemError('validation_failed', { faults });
}

/** Returns the reason why the name is not allowed. Undefined if all of its addresses are allowed. */
async function findNameFault(url: URL, accountId: string, { targetPolicy, resolveName }: TargetChecks) {
  if (readLiteralAddress(url) !== undefined) return undefined;
  const resolved = resolveName(url.hostname, accountId).catch(() => []);
  const addresses = await Promise.race([resolved, sleep(resolveMs, [], { ref: false })]);
  return addresses.map(({ address }) => findAddressFault(address, url, targetPolicy)).find((it) => it !== undefined);
}

/** Result of a registration. `secret` is present only if the webhook is new. */
export interface Registered {
  readonly webhook: StoredWebhook;
  readonly secret?: string;
  /** The webhook before this request, if it was already registered. */
  readonly before?: StoredWebhook;
}

/**
 * Registers a webhook. If a webhook with the same URL, session and subject exists, returns it instead, with the
 * requested events, retries and states, and enabled. Throws a ProblemError if the account has the maximum number of webhooks.
 */
export async function register(
  scope: WriteScope,
  secretBox: SecretBox,
  accountId: string,
  registration: Schema<'WebhookRegistration'>,
  nowMs: number,
): Promise<Registered> {
  const { session_id: sessionId, subject_id: watchedSubject } = registration;
  const watched = toWhoseKey(readWhose(registration));
  // Locks sessions before webhooks, as ingest does. Otherwise, a concurrent reading could bind the session to a subject
  // without updating this webhook.
  const subjectId =
    sessionId === undefined ? watchedSubject : await createSessionWriter(scope).lockSubjectOf(sessionId);
  // Excludes other registrations. Does not wait for the deliveries of the account: only a registered webhook is locked.
  await createWebhookTable(scope).lockAccount();
  const all = await createWebhookTable(scope).list();
  const target = normalize(registration.url);
  const found = all
    .filter((it) => toWhoseKey(findWatched(it)) === watched)
    .find(({ url }) => normalize(url) === target);
  const standing = found && (await createWebhookTable(scope).lock([found.webhookId])).get(found.webhookId);
  if (standing) return { webhook: await update(scope, standing, registration, nowMs), before: standing };
  if (all.length >= settings.max_per_account)
    throw createValidationError('too_many_webhooks', { pointer: '' }, String(settings.max_per_account));
  const webhookId = createWebhookId('wh');
  const { secret, sealed } = issueSecret(secretBox, accountId, webhookId);
  const webhook: StoredWebhook = {
    webhookId,
    url: registration.url,
    events: registration.events,
    ...(registration.retry === 'extended' && { retry: 'extended' }),
    ...(registration.states && { states: registration.states }),
    ...(sessionId !== undefined && { sessionId }),
    ...(subjectId !== undefined && { subjectId }),
    secret: sealed,
    failedInRow: 0,
    createdAtMs: nowMs,
    registeredEpoch: await createWebhookTable(scope).nextEpoch(),
  };
  await createWebhookTable(scope).insert(webhook);
  if (webhook.events.includes('alert')) await createAlertTable(scope).seed(nowMs);
  return { webhook, secret };
}

/** Returns the same text for all URLs with the same request. */
function normalize(text: string): string {
  const { origin, pathname, search } = new URL(text);
  return origin + pathname + search;
}

/** Enables the webhook. Replaces its events. Changes its schedule and its states if the registration contains them. */
async function update(
  scope: WriteScope,
  webhook: StoredWebhook,
  registration: Schema<'WebhookRegistration'>,
  nowMs: number,
): Promise<StoredWebhook> {
  const { events, retry = webhook.retry ?? 'standard' } = registration;
  const states: StoredWebhook['states'] = registration.states ?? webhook.states;
  const isDisabled = webhook.disabledAtMs !== undefined;
  const isSelectedAlike = `${events} ${states}` === `${webhook.events} ${webhook.states}`;
  if (!isDisabled && isSelectedAlike && retry === (webhook.retry ?? 'standard')) return webhook;
  const { disabledAtMs: _, disabledEpoch: __, retry: ___, ...rest } = webhook;
  const changed: StoredWebhook = {
    ...rest,
    events,
    ...(isDisabled && { failedInRow: 0 }),
    ...(retry === 'extended' && { retry }),
    ...(states && { states }),
  };
  await createWebhookTable(scope).update(changed);
  if (events.includes('alert')) await createAlertTable(scope).seed(nowMs);
  return changed;
}
