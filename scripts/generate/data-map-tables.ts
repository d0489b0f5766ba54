import { peopleTables } from './data-map-people.js';

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

/** Every table of the database. A test fails if a table or a column is missing here. */
export const tableUses: Readonly<Record<string, TableUse>> = {
  ...peopleTables,
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
      'account_id subject_id': 'account and person. An erasure removes the person',
      pseudonym: 'pseudonym in `access_entries`',
      code: 'keyed digest of the account, the person and the pseudonym',
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
    content: 'keyed hashes of erased ids, so that earlier tokens send no more data, and a restore erases them again',
    identifies: 'pseudonym',
    retention: 'RETENTION_ERASURES_DAYS',
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
  applied_retention: {
    content: 'retention of readings that the last purge applied',
    identifies: 'nobody',
    retention: 'without end',
    erasure: none,
    readBy: [],
    columns: { 'name value': 'number of hours' },
  },
  schema_migrations: {
    content: 'applied migrations',
    identifies: 'nobody',
    retention: 'without end',
    erasure: none,
    readBy: [],
    columns: { 'name completed_at_ms': 'name and time', breaks_earlier: 'whether earlier versions refuse the schema' },
  },
};
