import { addAscii, addAsciiJson, addFixedAscii, type TableDefinition } from './table.js';

/** Keys with which an app writes data of one person, and connections of hubs. */
export const source_keys: TableDefinition = {
  content: 'keys of the apps that post data of a person, as hashes, and connections of hubs',
  notice: 'Which apps may send data about you',
  identifies: 'person',
  retention: 'until the key expires or is removed',
  expiry: { column: 'expires_at_ms', maxAgeMs: 0 },
  erasesBySubject: { time: 'created_at_ms' },
  erasure: 'deleted',
  readBy: ['createSourceKey', 'listSourceKeys'],
  about: {
    'account_id subject_id source time_zone':
      'whose data the key writes, of which app, and the zone of its local times',
    'source_key_id key_hash display_prefix': 'key, as a hash and a prefix',
    signing_secret: 'the secret with which a hub signs, encrypted with SECRETS_KEY',
    code: 'keyed digest of the row, so that changes are detected',
    link_id: 'the link through which the person created it',
    'maker_key_id created_at_ms expires_at_ms last_used_at_ms':
      'the API key that created it, and times. The last use is rounded to the hour',
    last_post: 'the device of the newest post, and why samples of it were skipped',
  },
  columns(table) {
    addAscii(table, 'account_id', 32).notNullable();
    addAscii(table, 'source_key_id', 32).notNullable();
    addFixedAscii(table, 'key_hash', 64).notNullable();
    addAscii(table, 'display_prefix', 16).notNullable();
    // Null for a hub.
    addAscii(table, 'subject_id', 256).nullable();
    addAscii(table, 'source', 32).notNullable();
    // Null for senders of times with a zone.
    addAscii(table, 'time_zone', 64).nullable();
    // Null for the key of a person.
    addAscii(table, 'signing_secret', 512).nullable();
    // Null if the command `keys create` created it.
    addAscii(table, 'maker_key_id', 32).nullable();
    table.bigInteger('created_at_ms').notNullable();
    table.bigInteger('expires_at_ms').notNullable();
    table.bigInteger('last_used_at_ms').nullable();
    // Null if the key was never used.
    addAsciiJson(table, 'last_post').nullable();
    table.primary(['account_id', 'source_key_id']);
  },
  added: { link_id: (table) => void addAscii(table, 'link_id', 32).nullable() },
  // Without the link, without the last use, and without the secret: its encryption is bound to the row.
  coded: {
    key: ['account_id', 'source_key_id'],
    fields: [
      ...['key_hash', 'display_prefix', 'subject_id', 'source', 'time_zone', 'maker_key_id'],
      ...['created_at_ms', 'expires_at_ms'],
    ],
  },
  unique: { source_keys_by_hash: ['key_hash'] },
  indexes: {
    source_keys_by_subject: ['account_id', 'subject_id'],
    source_keys_by_maker: ['maker_key_id'],
    source_keys_by_expiry: ['expires_at_ms'],
  },
};
