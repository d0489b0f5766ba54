import * as spec from '../../generated/spec.js';
import { listAllSettings } from '../../src/config/settings.js';
import { contract, type Schema } from '../../packages/docs/contract.js';
import { tables } from '../../src/store/tables/index.js';
import type { TableDefinition } from '../../src/store/tables/table.js';

/** Returns the cells of a table, without its head. */
type Rows = string[][];

/** What the map says about a table. */
export type TableUse = Pick<
  TableDefinition,
  'content' | 'notice' | 'identifies' | 'retention' | 'erasure' | 'readBy' | 'about'
>;

/** Every table of the database, those with data of people first. */
export const tableUses: Readonly<Record<string, TableUse>> = Object.fromEntries([
  ...Object.entries(tables).sort(
    ([, a], [, b]) => Number(b.identifies === 'person') - Number(a.identifies === 'person'),
  ),
  [
    'schema_migrations',
    {
      content: 'applied migrations',
      identifies: 'nobody',
      retention: 'without end',
      erasure: 'no data of people',
      readBy: [],
      about: { 'name completed_at_ms': 'name and time', breaks_earlier: 'whether earlier versions refuse the schema' },
    },
  ],
]);

/** Request bodies whose fields the map contains, by operation. A batch has the fields of `ingest`. */
const requests: Readonly<Record<string, string>> = {
  ingest: 'SignalSubmission',
  submitFeedback: 'FeedbackSubmission',
  putFact: 'FactSubmission',
  createDevice: 'DeviceRequest',
  putConsent: 'ConsentSubmission',
  createToken: 'TokenRequest',
  createSourceKey: 'SourceKeyRequest',
  createLink: 'LinkRequest',
  submitSource: 'SourceBody',
  registerWebhook: 'WebhookRegistration',
  createAlertRule: 'AlertRuleRequest',
  retryDeliveries: 'RetryRequest',
};

const notStored = 'not stored';
/** Where each field of a request is stored that is no signal. The text says `table.column`, or why nothing is stored. */
const fieldUses: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ingest: {
    session_id: 'sessions.session_id',
    device_id: 'session_readings.signals',
    subject_id: 'sessions.subject_id',
    timestamp: 'session_readings.timestamp_ms',
    user_message: `${notStored}. Analyzed in memory, and sent to \`SAFETY_URL\` if it is set. Topics and numbers remain`,
    ai_response: `${notStored}. Analyzed in memory. Topics and numbers remain`,
    derive_sentiment: notStored,
    backfill: 'late_readings.timestamp_ms',
    source_device: 'session_readings.signals',
    sample_id: 'session_readings.signals',
    sample_revision: 'session_readings.signals',
  },
  submitFeedback: {
    session_id: 'feedback.session_id',
    subject_id: 'feedback.subject_id',
    timestamp: 'feedback.timestamp_ms',
    duration_seconds: 'feedback.duration_seconds',
    stress: 'feedback.stress',
    note_code: 'feedback.note_code',
  },
  putFact: {
    ...{ subject_id: 'facts.subject_id', kind: 'facts.kind', level: 'facts.level', revision: 'facts.revision' },
    ...{ start: 'facts.start_ms', end: 'facts.end_ms' },
  },
  createDevice: { subject_id: 'devices.subject_id', name: 'devices.name', kind: 'devices.kind' },
  putConsent: {
    categories: 'consents.body',
    purposes: 'consents.body',
    context: 'consents.body',
    event_time: 'consents.body',
    expires_at: 'consents.body',
    record_id: 'consents.body',
  },
  createToken: {
    session_id: `${notStored}. Part of the signed token`,
    subject_id: `${notStored}. Part of the signed token`,
    scopes: `${notStored}. Part of the signed token`,
    expires_in: `${notStored}. Part of the signed token`,
  },
  createSourceKey: {
    subject_id: 'source_keys.subject_id',
    source: 'source_keys.source',
    signing_secret: 'source_keys.signing_secret',
    expires_in_days: 'source_keys.expires_at_ms',
    time_zone: 'source_keys.time_zone',
  },
  createLink: { grants: 'person_links.grants', expires_in_days: 'person_links.expires_at_ms' },
  registerWebhook: {
    url: 'webhooks.url',
    events: 'webhooks.body',
    session_id: 'webhooks.session_id',
    subject_id: 'webhooks.subject_id',
    retry: 'webhooks.body',
    states: 'webhooks.body',
  },
  createAlertRule: {
    ...{ condition: 'alert_rules.body', minutes: 'alert_rules.body', hours: 'alert_rules.body' },
    ...{ subject_ids: 'alert_people.subject_id', quiet_hours: 'alert_rules.body' },
  },
  retryDeliveries: { delivery_ids: notStored, webhook_id: notStored, since: notStored, ordered: notStored },
};

/** Returns a row per table: content, person, retention, erasure, readers. */
export function tableRows(): Rows {
  return Object.entries(tableUses).map(([name, it]) => [
    code(name),
    it.content,
    it.identifies,
    describeRetention(it),
    it.erasure,
    describeReaders(it),
  ]);
}

/** Returns a row per group of columns. */
export function columnRows(): Rows {
  return Object.entries(tableUses).flatMap(([name, { about }]) =>
    Object.entries(about).map(([group, content]) => [code(name), group.split(' ').map(code).join(', '), content]),
  );
}

/** Returns the columns of each table of the map, in alphabetical order. */
export function mappedColumns(): Record<string, string[]> {
  const entries = Object.entries(tableUses).map(([name, { about }]) => [
    name,
    Object.keys(about)
      .flatMap((group) => group.split(' '))
      .sort(),
  ]);
  return Object.fromEntries(entries);
}

/** Returns a row per field of each request. Throws if a field has no entry, or an entry names no column. */
export function fieldRows(): Rows {
  return Object.keys(requests).flatMap((operation) =>
    requestFields(operation).map((field) => {
      const use = findUse(operation, field);
      const table = tableUses[use.split('.')[0] ?? ''];
      return [
        code(operation),
        code(field),
        describeConsent(field),
        table ? code(use) : use,
        table ? describeRetention(table) : '',
      ];
    }),
  );
}

/** Returns the names of the operations with a request body that the map contains. */
export function mappedRequests(): string[] {
  return Object.keys(requests);
}

function findUse(operation: string, field: string): string {
  const isSignal = operation === 'ingest' && field in spec.signals;
  const use = isSignal ? 'session_readings.signals' : fieldUses[operation]?.[field];
  if (use === undefined)
    throw new Error(
      `${operation}.${field} is not in the data map: add it to fieldUses in scripts/generate/data-map.ts`,
    );
  const [table = '', column = ''] = use.split('.');
  if (!use.startsWith(notStored) && !mappedColumns()[table]?.includes(column))
    throw new Error(`the data map stores ${operation}.${field} in ${use}, which is no column`);
  return use;
}

/** Returns the category whose consent a signal requires. */
function describeConsent(field: string): string {
  return (spec.signals as Readonly<Record<string, { consent: string }>>)[field]?.consent ?? '';
}

function requestFields(operation: string): string[] {
  const schema: Schema | undefined = contract.components.schemas[requests[operation] ?? ''];
  return Object.keys(schema?.properties ?? {});
}

/** Returns the retention with the default of its variable. Throws if the variable does not exist. */
export function describeRetention({ retention }: TableUse): string {
  if (!retention.startsWith('RETENTION_')) return retention;
  const setting = listAllSettings().find(({ name }) => name === retention);
  if (!setting) throw new Error(`the data map names ${retention}, which is no variable of the configuration`);
  return `${code(retention)}, in ${retention.endsWith('_HOURS') ? 'hours' : 'days'} (default: ${setting.default})`;
}

/** Returns the operations that read the table, by the scope that they require. */
function describeReaders({ readBy }: TableUse): string {
  const scopes: Readonly<Record<string, string>> = spec.operationScopes;
  const all = new Set(readBy.map((id) => scopes[id] ?? 'without a key'));
  const texts = [...all].map((scope) => {
    const names = readBy.filter((id) => (scopes[id] ?? 'without a key') === scope).map(code);
    return `${scope in spec.scopes ? code(scope) : scope}: ${names.join(', ')}`;
  });
  return texts.length > 0 ? texts.join('. ') : 'the operator only';
}

export function code(name: string): string {
  return `\`${name}\``;
}
