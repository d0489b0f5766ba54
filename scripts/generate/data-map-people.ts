const deleted = 'deleted';
const ids = {
  account_id: 'account',
  'subject_id session_id': 'ids of the person and the session, chosen by the integrator',
};
const order = 'order of storage, and a part of a hash that detects resends';
const readers = ['getHistory', 'exportReadings', 'streamEvents', 'getSubjectSummary', 'ingest', 'ingestBatch'];
const deliveryReaders = ['listDeliveries', 'getDelivery', 'listFailedDeliveries'];

/** The tables of sessions, people, their reports and deliveries. `data-map-tables.ts` has the others, and the type. */
export const peopleTables = {
  session_readings: {
    content: 'readings: signals, score and response',
    identifies: 'person',
    retention: 'RETENTION_READINGS_HOURS',
    erasure: deleted,
    readBy: readers,
    columns: {
      'account incarnation': 'account and session, shortened',
      timestamp_ms: 'time of the reading',
      'position digest': order,
      signals: 'signals and context of the reading. Never text',
      'stress_score confidence previous_score model_version': 'score, its confidence, the previous score, the model',
      response: 'the rest of the response: reason, state, topics',
      state_change: 'the event that webhooks and streams send',
    },
  },
  late_readings: {
    content: 'index of backfilled readings',
    identifies: 'person',
    retention: 'RETENTION_READINGS_HOURS',
    erasure: deleted,
    readBy: [],
    columns: {
      'account incarnation': 'account and session, shortened',
      timestamp_ms: 'time of the reading',
      'position digest': order,
    },
  },
  sessions: {
    content: 'sessions: current state, recent values, topics as numbers',
    identifies: 'person',
    retention: 'RETENTION_IDLE_SESSIONS_HOURS',
    erasure: deleted,
    readBy: ['getState', 'listSessions', 'getHistory', 'exportReadings'],
    columns: {
      ...ids,
      'incarnation version': 'internal ids',
      'touched_at_ms started_at_ms': 'times of the last and the first reading',
      body: 'current signals, baseline, score, reason and topic evidence. Never text',
    },
  },
  subjects: {
    content: 'people: baseline, newest consent, names of active and resolved topics',
    identifies: 'person',
    retention: 'until the person is erased',
    erasure: deleted,
    readBy: ['getSubject', 'getConsent', 'getState', 'ingest', 'ingestBatch'],
    columns: {
      'account_id subject_id': 'account and person',
      version: 'internal id',
      body: 'baseline of the heart, newest consent, names of topics',
    },
  },
  triggers: {
    content: 'Trigger Memory: topics of a person and the stress around them',
    identifies: 'person',
    retention: 'until the person is erased',
    erasure: deleted,
    readBy: ['getTriggers', 'getSubject'],
    columns: {
      'account_id subject_id': 'account and person',
      'topic status': 'topic and its status',
      'recent_stress score_sum sightings peak_score sessions': 'stress at the mentions, and their number',
      'last_seen_ms activation_at_ms activation_session_id': 'times, and the session of the activation',
      'resolving_sightings status_changes': 'progress and history of the status',
    },
  },
  subject_hours: {
    content: 'summaries of hours of a person',
    identifies: 'person',
    retention: 'RETENTION_SUMMARY_DAYS',
    erasure: deleted,
    readBy: ['getSubjectSummary'],
    columns: {
      'account_id subject_id': 'account and person',
      hour_ms: 'hour (UTC)',
      'calm_ms relaxed_ms focused_ms stressed_ms acute_stress_ms': 'time in each state',
      'readings score_sum score_min score_max': 'number of readings, and their scores',
      'heart_rates heart_rate_sum heart_rate_min heart_rate_max': 'heart rates',
      topics: 'names of topics',
    },
  },
  feedback: {
    content: 'what people report about their stress, with the published score',
    identifies: 'person',
    retention: 'RETENTION_FEEDBACK_DAYS',
    erasure: 'deleted. A report of a session that never had a `subject_id` stays until its retention ends',
    readBy: ['listFeedback', 'submitFeedback', 'getAgreement', 'getSubjectAgreement'],
    columns: {
      ...ids,
      'feedback_id incarnation': 'internal ids',
      'timestamp_ms duration_seconds recorded_at_ms': 'time of the report',
      'stress note_code': 'what the person said: a number and a code. Never text',
      'stress_score model_version readings': 'the published score of that time',
    },
  },
  consents: {
    content: 'every version of the consent of a person',
    identifies: 'person',
    retention: 'until the person is erased',
    erasure: deleted,
    readBy: ['getConsent', 'listConsentVersions', 'putConsent'],
    columns: {
      'account_id subject_id': 'account and person',
      'version recorded_at_ms': 'number and time of the version',
      body: 'categories, purposes, context, times and the reference of your evidence',
    },
  },
  outbox: {
    content: 'state changes that are not yet distributed to webhooks',
    identifies: 'person',
    retention: 'until the event is distributed, usually within 100 ms',
    erasure: deleted,
    readBy: [],
    columns: {
      ...ids,
      'seq epoch created_at_ms': 'order and time of the event',
      payload: 'the event: session, previous and new state, score, time',
    },
  },
  deliveries: {
    content: 'deliveries of state changes to webhooks, with their attempts',
    identifies: 'person',
    retention: 'RETENTION_DELIVERIES_DAYS',
    erasure: deleted,
    readBy: deliveryReaders,
    columns: {
      ...ids,
      'delivery_id webhook_id receiver owner': 'delivery, webhook, receiver and process',
      'seq status reason due_at_ms settled_at_ms event_at_ms': 'order, status and times',
      payload: 'the event: session, previous and new state, score, time',
      attempts: 'responses of the receiver, abridged',
    },
  },
  webhooks: {
    content: 'webhooks of the account',
    identifies: 'person',
    retention: 'until it is removed',
    erasure: 'deleted if the webhook watches a session of the person',
    readBy: ['registerWebhook', 'listWebhooks'],
    columns: {
      ...ids,
      webhook_id: 'webhook',
      'url body': 'URL of the receiver, events, encrypted signing secret',
      'registered_epoch disabled_epoch locks': 'internal numbers',
    },
  },
  idempotency_keys: {
    content: 'responses to requests with an `Idempotency-Key`, encrypted',
    identifies: 'person',
    retention: 'idempotency',
    erasure: deleted,
    readBy: ['registerWebhook', 'rotateWebhookSecret', 'testWebhook'],
    columns: {
      ...ids,
      'key_digest request_digest': 'hashes of the key and the request',
      'owner lease_until_ms created_at_ms': 'process and times',
      'response secret': 'response, encrypted',
    },
  },
} as const;
