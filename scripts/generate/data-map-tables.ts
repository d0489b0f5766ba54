/** What a table of the database contains. `data-map.ts` writes the guide from it, and its test compares it to the schema. */
export interface TableUse {
  readonly content: string;
  /** Whom a row identifies. */
  readonly identifies: 'person' | 'pseudonym' | 'nobody';
  /** Variable of the configuration that sets the retention, or a sentence if none does. */
  readonly retention: string;
  /** What `DELETE /v1/subjects/{subject_id}` does to the rows of the person. */
  readonly erasure: string;
  /** Operations whose responses contain data of the table. */
  readonly readBy: readonly string[];
  /** Content of the columns, by names with spaces between them. */
  readonly columns: Readonly<Record<string, string>>;
}

const deleted = 'deleted';
const none = 'no data of people';
const ids = {
  account_id: 'account',
  'subject_id session_id': 'ids of the person and the session, chosen by the integrator',
};
const order = 'order of storage, and a part of a hash that detects resends';
const readers = ['getHistory', 'exportReadings', 'streamEvents', 'getSubjectSummary', 'ingest', 'ingestBatch'];
const deliveryReaders = ['listDeliveries', 'getDelivery', 'listFailedDeliveries'];

/** Every table of the database. A test fails if a table or a column is missing here. */
export const tableUses: Readonly<Record<string, TableUse>> = {
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
  readings: {
    content: 'readings of earlier releases, until they are moved to `session_readings`',
    identifies: 'person',
    retention: 'RETENTION_READINGS_HOURS',
    erasure: deleted,
    readBy: [],
    columns: {
      account_id: 'account',
      'session_id incarnation': 'session',
      timestamp_ms: 'time of the reading',
      'digest position': order,
      signals: 'signals and context of the reading. Never text',
      'stress_score confidence model_version': 'score, its confidence, the model',
      'response state_change': 'response and event',
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
      payload: 'the event: state, score, reason, topics',
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
      payload: 'the event: state, score, reason, topics',
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
  access_entries: {
    content: 'access record: which key read, exported or erased whose data',
    identifies: 'pseudonym',
    retention: 'RETENTION_ACCESS_DAYS',
    erasure: 'stay. Nobody can tell any more to whom they belong',
    readBy: ['listAccesses'],
    columns: {
      'chain_id seq mac': 'chain, number and code of the entry',
      at_ms: 'minute of the access',
      'account_id key_id credential': 'account, key, and whether a token was used',
      'action operation': 'what was done',
      subject: 'pseudonym of the person',
    },
  },
  access_chains: {
    content: 'signed checkpoints of the access record',
    identifies: 'nobody',
    retention: 'RETENTION_ACCESS_DAYS',
    erasure: none,
    readBy: [],
    columns: { 'chain_id key_check seq mac at_ms signature': 'chain, its last entry, and a signature' },
  },
  access_subjects: {
    content: 'link between people and their pseudonyms',
    identifies: 'person',
    retention: 'RETENTION_ACCESS_DAYS',
    erasure: deleted,
    readBy: ['listAccesses'],
    columns: {
      'account_id subject_id': 'account and person',
      pseudonym: 'pseudonym in `access_entries`',
      used_at_ms: 'a time on the last day with an access',
    },
  },
  erasures: {
    content: 'erasures in progress',
    identifies: 'person',
    retention: 'until the readings of the session are erased',
    erasure: 'created, and deleted at its end',
    readBy: [],
    columns: { 'account_id session_id incarnation': 'session whose readings are being erased' },
  },
  erased_ids: {
    content: 'keyed hashes of erased ids, so that earlier tokens send no more data',
    identifies: 'pseudonym',
    retention: 'erased ids',
    erasure: 'created',
    readBy: [],
    columns: { account_id: 'account', digest: 'keyed hash of the id', erased_at_ms: 'time of the erasure' },
  },
  receipt_keys: {
    content: 'keys that sign deletion receipts',
    identifies: 'nobody',
    retention: 'without end. Private keys are deleted by a rotation',
    erasure: none,
    readBy: ['listReceiptKeys'],
    columns: { 'key_id public_key private_key created_at_ms': 'key pair, the private key encrypted' },
  },
  accounts: {
    content: 'accounts and their settings',
    identifies: 'nobody',
    retention: 'without end',
    erasure: none,
    readBy: [],
    columns: {
      'account_id name tier created_at_ms': 'account',
      settings: 'e.g. the mode of consent and the stated purpose',
      webhook_epoch: 'internal number',
    },
  },
  api_keys: {
    content: 'API keys as hashes',
    identifies: 'nobody',
    retention: 'without end, also revoked ones',
    erasure: none,
    readBy: [],
    columns: {
      'account_id key_id key_hash display_prefix': 'key, as a hash and a prefix',
      'scopes networks': 'what the key may do, and from where',
      'created_at_ms expires_at_ms revoked_at_ms last_used_at_ms': 'times. The last use is rounded to the hour',
    },
  },
  key_audit: {
    content: 'audit log of keys and accounts. `actor` may name an administrator',
    identifies: 'person',
    retention: 'without end',
    erasure: 'none: it names administrators, not the people whose signals are sent',
    readBy: [],
    columns: {
      'account_id entry_id at_ms action': 'what was done, and when',
      'key_id key_prefix details': 'which key, and how it was changed',
      actor: 'who did it, e.g. a user name of the machine',
    },
  },
  usage_months: {
    content: 'calls per account and month',
    identifies: 'nobody',
    retention: 'without end',
    erasure: none,
    readBy: [],
    columns: { 'account_id month calls': 'number of calls' },
  },
  stream_positions: {
    content: 'position of the newest reading of an account',
    identifies: 'nobody',
    retention: 'without end',
    erasure: none,
    readBy: [],
    columns: { 'account_id position erasures': 'numbers' },
  },
  secrets_keys: {
    content: 'check value of `SECRETS_KEY`',
    identifies: 'nobody',
    retention: 'until the key is replaced',
    erasure: none,
    readBy: [],
    columns: { 'name check_value since_ms': 'check value and its time' },
  },
  retention_defaults: {
    content: 'default retention of a database from before summaries',
    identifies: 'nobody',
    retention: 'without end',
    erasure: none,
    readBy: [],
    columns: { 'name value': 'number of days' },
  },
  schema_migrations: {
    content: 'applied migrations',
    identifies: 'nobody',
    retention: 'without end',
    erasure: none,
    readBy: [],
    columns: { 'name applied_at_ms': 'name and time' },
  },
};
