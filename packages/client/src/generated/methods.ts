// Generated from openapi.yaml by `npm run generate`. Edit that file instead.

import type { CallOptions, IdempotentCallOptions } from '../options.js';
import { at, type Pages, pagesOf } from '../pages.js';
import { read, succeed, type Transport, withKey } from '../transport.js';
import type {
  Access,
  AccessList,
  Agreement,
  AlertRule,
  AlertRuleRequest,
  Consent,
  ConsentSubmission,
  ConsentVersions,
  Delivery,
  DeliveryFilter,
  DeliveryList,
  Device,
  DeviceFilter,
  DeviceRequest,
  Erasure,
  Fact,
  FactFilter,
  FactList,
  FactSubmission,
  FailedDelivery,
  FailedDeliveryFilter,
  FailedDeliveryList,
  Feedback,
  FeedbackFilter,
  FeedbackList,
  FeedbackSubmission,
  Link,
  LinkRequest,
  ReceiptKey,
  RetryAccepted,
  RetryRequest,
  SessionFilter,
  SessionList,
  SessionSummary,
  SessionToken,
  SourceKey,
  SourceKeyFilter,
  SourceKeyList,
  SourceKeyRequest,
  SubjectProfile,
  SubjectSummary,
  SummaryFilter,
  SummaryRow,
  TestAccepted,
  TokenRequest,
  TriggerProfile,
  Webhook,
  WebhookRegistration,
} from './types.js';

export interface SessionMethods {
  /**
   * Stores how stressed a person was at one time, in the person's own words: a number and a code, never text. Send
   * either `session_id` or `subject_id`. The report is durable before the response is sent. Requires the scope
   * `feedback`.
   */
  submitFeedback(body: FeedbackSubmission, call?: CallOptions): Promise<Feedback>;
}

export interface AccountMethods {
  /**
   * Returns the account's sessions with their latest state. The session that started last comes first, 50 per page. New
   * readings do not change the order, so the pages contain every session once. A session expires 192 hours after its
   * last reading, or after the time that the deployment sets. A filter value that does not exist returns an empty list.
   * Requires the scope `read`.
   */
  sessions(filter?: SessionFilter, call?: CallOptions): Pages<SessionList, SessionSummary>;
  /**
   * Creates a key with which one app writes data of one person. The key is shown only in this response. It ends when it
   * expires or is removed, when the person is erased, and when the key that created it expires or is revoked. After a
   * rotation, it belongs to the successor. A person may have 20 source keys.
   */
  createSourceKey(body: SourceKeyRequest, call?: CallOptions): Promise<SourceKey>;
  /**
   * Returns the newest 500 source keys of the account that are valid, or all of a person, without the keys themselves.
   * `last_post` says what the newest request contained, which few apps show.
   */
  sourceKeys(filter?: SourceKeyFilter, call?: CallOptions): Promise<SourceKeyList>;
  /**
   * Ends a source key. A later request with it gets 401. Stored readings stay.
   */
  removeSourceKey(id: string, call?: CallOptions): Promise<void>;
  /**
   * Returns the topics of this person's concerns, with the stress that was measured with each topic. Send conversation
   * turns to `ingest` (`user_message`, `ai_response` and `subject_id`). The service reads their text in memory and
   * never stores it. Requires the scope `read`.
   */
  triggers(subject_id: string, call?: CallOptions): Promise<TriggerProfile>;
  /**
   * Returns what the service has learned about a person across sessions: the baseline, e.g. the resting heart rate, and
   * the status changes of the person's topics. A reading of this person is compared with the baseline as of the time of
   * the request. Baseline and topics are stored until the subject is erased. They contain no text, because texts are
   * never stored. Requires the scope `read`.
   */
  subject(subject_id: string, call?: CallOptions): Promise<SubjectProfile>;
  /**
   * Erases the subject's triggers, baseline, summaries, feedback, sessions and their history. Also erases the events
   * and deliveries of all of its sessions, including expired sessions, and removes webhooks for the person and for
   * these sessions. The data is invisible as soon as the erasure begins. Readings that arrive in the meantime start
   * without earlier data. Live conversation turns with a `timestamp` at or before the erasure are rejected
   * (`subject_erased`). The response is sent when all data is erased. If the service stops before, it completes the
   * erasure after its restart. Store the `receipt`, because the service does not.
   */
  deleteSubject(subject_id: string, call?: CallOptions): Promise<Erasure>;
  /**
   * Removes one topic of a person, for example because the person says that it is wrong. The readings of the person
   * remain. The next turn about the topic is its first sighting.
   */
  deleteTrigger(subject_id: string, topic: string, call?: CallOptions): Promise<void>;
  /**
   * Returns the newest version of the person's consent. Readings are checked against it only if the account enforces
   * consent. Requires the scope `read`.
   */
  consent(subject_id: string, call?: CallOptions): Promise<Consent>;
  /**
   * Records what a person allows, as a new version that replaces the earlier ones. Every version is stored until the
   * subject is erased. Sending the newest version again changes nothing. Requires the scope `consent`.
   */
  putConsent(subject_id: string, body: ConsentSubmission, call?: CallOptions): Promise<Consent>;
  /**
   * Returns all versions of the person's consent, newest first. They are stored until the subject is erased. Requires
   * the scope `read`.
   */
  consentVersions(subject_id: string, call?: CallOptions): Pages<ConsentVersions, Consent>;
  /**
   * Returns the hours or days of a person, oldest first: how long each state lasted, and the means and extremes of the
   * score and of the heart rate. Hours stay readable after their readings expire: 90 days, or the time that the
   * deployment sets. A deployment that stores no hours summarizes the stored readings. Requires the scope `read`.
   */
  summary(subject_id: string, filter?: SummaryFilter, call?: CallOptions): Pages<SubjectSummary, SummaryRow>;
  /**
   * Creates a link to a page for one person: today, the week, topics, what is collected and who read it. The link
   * contains no key. The person opens it once, within 24 hours, with a tap. The page then works in this browser until
   * `expires_at`. A preview of the link opens nothing.
   */
  createLink(subject_id: string, body: LinkRequest, call?: CallOptions): Promise<Link>;
  /**
   * Returns the links of a person that are valid, without their URLs. The list is empty for an unknown person.
   */
  links(subject_id: string, call?: CallOptions): Promise<Link[]>;
  /**
   * Ends a link within a second, with its streams and the source keys that the person made through it. Stored readings
   * stay.
   */
  removeLink(subject_id: string, link_id: string, call?: CallOptions): Promise<void>;
  /**
   * Returns who read, exported or erased this person's data, newest first. An entry means one or more requests of a key
   * in a minute. It appears within a second after the first of these requests. Requires the scope `read`.
   */
  accesses(subject_id: string, call?: CallOptions): Pages<AccessList, Access>;
  /**
   * Returns the public keys that verify deletion receipts, newest first, as a JSON Web Key Set (RFC 7517). Requires no
   * API key, because whoever has a receipt may verify it. Keep a copy: a receipt can then be verified offline. The list
   * is empty before the first erasure.
   */
  receiptKeys(call?: CallOptions): Promise<ReceiptKey[]>;
  /**
   * Returns how well the published score agrees with the reports of this person. The fields are those of `GET
   * /v1/agreement`, which describes them. Reports of one day (UTC) are one group, because they are not independent.
   * Requires the scope `read`.
   */
  subjectAgreement(subject_id: string, call?: CallOptions): Promise<Agreement>;
  /**
   * Names a device of a person. It then sends readings with `device_id` instead of `session_id`, to `POST /v1/ingest`
   * and in batches. The service knows the person, sets `source_device` to the `device_id`, and keeps one session per
   * UTC day of the timestamp: `<device_id>-<day>`. The first reading of a day continues the session of the day before
   * if it is at most 300 s newer than that session: its state, and the event of a change.
   */
  createDevice(body: DeviceRequest, call?: CallOptions): Promise<Device>;
  /**
   * Returns the devices of a person, newest first, with the time of their newest reading. The source keys of the person
   * are among them, with the `source` of their app: they post to `POST /v1/sources/{source}`, and their id is no
   * `device_id` of a reading. The list is empty for an unknown person. Requires the scope `read`.
   */
  devices(subject_id: string, call?: CallOptions): Promise<Device[]>;
  /**
   * Returns a device, also a source key of a person, with the time of its newest reading. Requires the scope `read`.
   */
  device(device_id: string, filter?: DeviceFilter, call?: CallOptions): Promise<Device>;
  /**
   * Removes a device: within a second, its readings are rejected. Of a source key, it ends the key, as `DELETE
   * /v1/source-keys/{id}` does. Stored readings stay. The connection of a hub is no device.
   */
  removeDevice(device_id: string, call?: CallOptions): Promise<void>;
  /**
   * Stores what happened to a person in an interval, for example a workout. What counts at a time is what a reading
   * itself states (`activity_level`), otherwise the facts that cover it, otherwise its steps. The order of arrival does
   * not matter: readings that are stored already are scored again, each from its own values, before the response is
   * sent. This changes history, summaries that are not stored yet and export, and no event, trigger, baseline or
   * current state. The next reading follows a fact that covers the present. Requires the scope `ingest`.
   */
  putFact(fact_id: string, body: FactSubmission, call?: CallOptions): Promise<Fact>;
  /**
   * Removes a fact. Readings that it covers are scored again, as after `PUT`. Requires the scope `ingest`.
   */
  deleteFact(fact_id: string, subject_id: string, call?: CallOptions): Promise<void>;
  /**
   * Returns the facts of a person that cover a part of the range, by `start`, up to 500 per page. Requires the scope
   * `read`.
   */
  facts(subject_id: string, filter?: FactFilter, call?: CallOptions): Pages<FactList, Fact>;
  /**
   * Returns the reports of the account or of a person, newest `timestamp` first, up to 500 per page. A person without
   * reports has an empty list. An agreement can be computed again from this list. Requires the scope `read`.
   */
  feedback(filter?: FeedbackFilter, call?: CallOptions): Pages<FeedbackList, Feedback>;
  /**
   * Returns how well the published score agrees with the reports of people: the accuracy of this deployment on its own
   * people. It covers the newest 10,000 reports. Only reports with a score of the current model version count. Requires
   * the scope `read`.
   */
  agreement(call?: CallOptions): Promise<Agreement>;
  /**
   * Creates a rule that watches people. When its condition is true for a person, the service sends one `alert` event to
   * the webhooks of the account whose `events` contain `alert`, and that watch this person or everyone. An equal rule
   * that exists is returned with 200, so that a request can be sent again.
   */
  createAlertRule(body: AlertRuleRequest, call?: CallOptions): Promise<AlertRule>;
  /**
   * Returns all alert rules of the account, oldest first.
   */
  alertRules(call?: CallOptions): Promise<AlertRule[]>;
  /**
   * Removes the rule. An alert that already fired is still delivered.
   */
  removeAlertRule(id: string, call?: CallOptions): Promise<void>;
}

export interface TokenClient {
  /**
   * Issues a token for one session, for code that must not hold a key: browsers and apps. Send it as `Authorization:
   * Bearer …` to ingest (scope `ingest`), feedback (scope `feedback`), state, history, stream and export (scope
   * `read`). Every other operation or session responds with 401. The token expires after `expires_in` seconds, or when
   * the key that issued it is revoked or expires. The session may be without data. The networks of the key do not apply
   * to its tokens.
   */
  create(body: TokenRequest, call?: CallOptions): Promise<SessionToken>;
}

export interface WebhookClient {
  /**
   * Sends later events of the kinds in `events` to `url`. State changes: with `session_id` those of the session, with
   * `subject_id` those of all sessions of the person, and without both those of all sessions of the account. The
   * response contains the secret that signs the deliveries. The secret is shown only once.
   */
  register(body: WebhookRegistration, call?: IdempotentCallOptions): Promise<Webhook>;
  /**
   * Returns all webhooks of the account, oldest first, without their secrets. Each entry shows the health of its
   * receiver: consecutive failures, the newest failure and success, and the number of queued deliveries.
   */
  list(call?: CallOptions): Promise<Webhook[]>;
  /**
   * Removes the webhook, its queued deliveries and its failed deliveries. No further events are sent to it.
   */
  remove(id: string, call?: CallOptions): Promise<void>;
  /**
   * Issues a new secret, which is shown only once. For 24 hours, deliveries are signed with both the new and the
   * previous secret, so that a receiver can switch without rejecting a delivery. A second rotation within these 24
   * hours returns 409, because it would end the previous secret early.
   */
  rotateSecret(id: string, call?: IdempotentCallOptions): Promise<Webhook>;
  /**
   * Queues a signed sample event of the session `webhook-test`, which is retried like any other delivery. If it fails,
   * it is listed among the failed deliveries under the returned id.
   */
  test(id: string, call?: IdempotentCallOptions): Promise<TestAccepted>;
  /**
   * Returns the deliveries whose last retry failed, newest first, 50 per page. Failed deliveries are kept for 7 days by
   * default. A filter value that does not exist returns an empty list. `sort` selects whether the newest failures or
   * the newest events come first.
   */
  failedDeliveries(filter?: FailedDeliveryFilter, call?: CallOptions): Pages<FailedDeliveryList, FailedDelivery>;
  /**
   * Queues failed deliveries again. `delivery_ids` selects deliveries by id. `webhook_id` selects at most the newest
   * 1,000 failed deliveries of a webhook, with `since` only deliveries that failed at or after this time. A retried
   * delivery keeps its `webhook-id`, gets a new schedule, is sent immediately, and is exempt from the order of its
   * session. Ids that are not listed as failed are ignored. The response lists the queued ids.
   */
  retry(body: RetryRequest, call?: CallOptions): Promise<RetryAccepted>;
  /**
   * Returns the delivery log: delivered and failed deliveries, newest first, 50 per page. The log keeps a delivery for
   * 7 days by default. If no delivery matches the filters, the list is empty. With `status` pending, it returns the
   * deliveries that are still queued, and `since` is the time of the event.
   */
  deliveries(filter?: DeliveryFilter, call?: CallOptions): Pages<DeliveryList, Delivery>;
  /**
   * Returns a pending, delivered or failed delivery of a state change by its `webhook-id`. The log keeps a settled
   * delivery for 7 days by default. The lists contain the deliveries of other kinds of events, in `event_deliveries`.
   */
  delivery(delivery_id: string, call?: CallOptions): Promise<Delivery>;
}

export function createMethods({ api, on }: Transport) {
  return {
      submitFeedback: async (body: FeedbackSubmission, call?: CallOptions) =>
        read(await api.POST('/v1/feedback', { ...on(call), body })),
      sessions: (filter?: SessionFilter, call?: CallOptions) =>
        pagesOf(async (cursor?: string) => read(await api.GET('/v1/sessions', { ...on(call), params: { query: { ...at(cursor, filter) } } })), (page) => page.sessions),
      createSourceKey: async (body: SourceKeyRequest, call?: CallOptions) =>
        read(await api.POST('/v1/source-keys', { ...on(call), body })),
      sourceKeys: async (filter?: SourceKeyFilter, call?: CallOptions) =>
        read(await api.GET('/v1/source-keys', { ...on(call), params: { query: { ...at(undefined, filter) } } })),
      removeSourceKey: async (id: string, call?: CallOptions) =>
        succeed(await api.DELETE('/v1/source-keys/{id}', { ...on(call), params: { path: { id } } })),
      triggers: async (subject_id: string, call?: CallOptions) =>
        read(await api.GET('/v1/triggers', { ...on(call), params: { query: { subject_id } } })),
      subject: async (subject_id: string, call?: CallOptions) =>
        read(await api.GET('/v1/subjects/{subject_id}', { ...on(call), params: { path: { subject_id } } })),
      deleteSubject: async (subject_id: string, call?: CallOptions) =>
        read(await api.DELETE('/v1/subjects/{subject_id}', { ...on(call), params: { path: { subject_id } } })),
      deleteTrigger: async (subject_id: string, topic: string, call?: CallOptions) =>
        succeed(await api.DELETE('/v1/subjects/{subject_id}/triggers/{topic}', { ...on(call), params: { path: { subject_id, topic } } })),
      consent: async (subject_id: string, call?: CallOptions) =>
        read(await api.GET('/v1/subjects/{subject_id}/consent', { ...on(call), params: { path: { subject_id } } })),
      putConsent: async (subject_id: string, body: ConsentSubmission, call?: CallOptions) =>
        read(await api.PUT('/v1/subjects/{subject_id}/consent', { ...on(call), params: { path: { subject_id } }, body })),
      consentVersions: (subject_id: string, call?: CallOptions) =>
        pagesOf(async (cursor?: string) => read(await api.GET('/v1/subjects/{subject_id}/consent/versions', { ...on(call), params: { path: { subject_id }, query: { ...at(cursor, {}) } } })), (page) => page.versions),
      summary: (subject_id: string, filter?: SummaryFilter, call?: CallOptions) =>
        pagesOf(async (cursor?: string) => read(await api.GET('/v1/subjects/{subject_id}/summary', { ...on(call), params: { path: { subject_id }, query: { ...at(cursor, filter) } } })), (page) => page.rows),
      createLink: async (subject_id: string, body: LinkRequest, call?: CallOptions) =>
        read(await api.POST('/v1/subjects/{subject_id}/links', { ...on(call), params: { path: { subject_id } }, body })),
      links: async (subject_id: string, call?: CallOptions) =>
        read(await api.GET('/v1/subjects/{subject_id}/links', { ...on(call), params: { path: { subject_id } } })).links,
      removeLink: async (subject_id: string, link_id: string, call?: CallOptions) =>
        succeed(await api.DELETE('/v1/subjects/{subject_id}/links/{link_id}', { ...on(call), params: { path: { subject_id, link_id } } })),
      accesses: (subject_id: string, call?: CallOptions) =>
        pagesOf(async (cursor?: string) => read(await api.GET('/v1/subjects/{subject_id}/accesses', { ...on(call), params: { path: { subject_id }, query: { ...at(cursor, {}) } } })), (page) => page.accesses),
      receiptKeys: async (call?: CallOptions) =>
        read(await api.GET('/v1/receipt-keys', { ...on(call) })).keys,
      subjectAgreement: async (subject_id: string, call?: CallOptions) =>
        read(await api.GET('/v1/subjects/{subject_id}/agreement', { ...on(call), params: { path: { subject_id } } })),
      createDevice: async (body: DeviceRequest, call?: CallOptions) =>
        read(await api.POST('/v1/devices', { ...on(call), body })),
      devices: async (subject_id: string, call?: CallOptions) =>
        read(await api.GET('/v1/devices', { ...on(call), params: { query: { subject_id } } })).devices,
      device: async (device_id: string, filter?: DeviceFilter, call?: CallOptions) =>
        read(await api.GET('/v1/devices/{device_id}', { ...on(call), params: { path: { device_id }, query: { ...at(undefined, filter) } } })),
      removeDevice: async (device_id: string, call?: CallOptions) =>
        succeed(await api.DELETE('/v1/devices/{device_id}', { ...on(call), params: { path: { device_id } } })),
      putFact: async (fact_id: string, body: FactSubmission, call?: CallOptions) =>
        read(await api.PUT('/v1/facts/{fact_id}', { ...on(call), params: { path: { fact_id } }, body })),
      deleteFact: async (fact_id: string, subject_id: string, call?: CallOptions) =>
        succeed(await api.DELETE('/v1/facts/{fact_id}', { ...on(call), params: { path: { fact_id }, query: { subject_id } } })),
      facts: (subject_id: string, filter?: FactFilter, call?: CallOptions) =>
        pagesOf(async (cursor?: string) => read(await api.GET('/v1/facts', { ...on(call), params: { query: { subject_id, ...at(cursor, filter) } } })), (page) => page.facts),
      feedback: (filter?: FeedbackFilter, call?: CallOptions) =>
        pagesOf(async (cursor?: string) => read(await api.GET('/v1/feedback', { ...on(call), params: { query: { ...at(cursor, filter) } } })), (page) => page.feedback),
      agreement: async (call?: CallOptions) =>
        read(await api.GET('/v1/agreement', { ...on(call) })),
      createAlertRule: async (body: AlertRuleRequest, call?: CallOptions) =>
        read(await api.POST('/v1/alerts', { ...on(call), body })),
      alertRules: async (call?: CallOptions) =>
        read(await api.GET('/v1/alerts', { ...on(call) })).alerts,
      removeAlertRule: async (id: string, call?: CallOptions) =>
        succeed(await api.DELETE('/v1/alerts/{id}', { ...on(call), params: { path: { id } } })),
    tokens: {
      create: async (body: TokenRequest, call?: CallOptions) =>
        read(await api.POST('/v1/tokens', { ...on(call), body })),
    },
    webhooks: {
      register: async (body: WebhookRegistration, call?: IdempotentCallOptions) =>
        read(await api.POST('/webhooks/register', { ...on(withKey(call)), body })),
      list: async (call?: CallOptions) =>
        read(await api.GET('/webhooks', { ...on(call) })).webhooks,
      remove: async (id: string, call?: CallOptions) =>
        succeed(await api.DELETE('/webhooks/{id}', { ...on(call), params: { path: { id } } })),
      rotateSecret: async (id: string, call?: IdempotentCallOptions) =>
        read(await api.POST('/webhooks/{id}/rotate-secret', { ...on(withKey(call)), params: { path: { id } } })),
      test: async (id: string, call?: IdempotentCallOptions) =>
        read(await api.POST('/webhooks/{id}/test', { ...on(withKey(call)), params: { path: { id } } })),
      failedDeliveries: (filter?: FailedDeliveryFilter, call?: CallOptions) =>
        pagesOf(async (cursor?: string) => read(await api.GET('/webhooks/retries', { ...on(call), params: { query: { ...at(cursor, filter) } } })), (page) => page.deliveries),
      retry: async (body: RetryRequest, call?: CallOptions) =>
        read(await api.POST('/webhooks/retries', { ...on(call), body })),
      deliveries: (filter?: DeliveryFilter, call?: CallOptions) =>
        pagesOf(async (cursor?: string) => read(await api.GET('/webhooks/deliveries', { ...on(call), params: { query: { ...at(cursor, filter) } } })), (page) => page.deliveries),
      delivery: async (delivery_id: string, call?: CallOptions) =>
        read(await api.GET('/webhooks/deliveries/{delivery_id}', { ...on(call), params: { path: { delivery_id } } })),
    },
  } satisfies SessionMethods & AccountMethods & { tokens: TokenClient; webhooks: WebhookClient };
}
