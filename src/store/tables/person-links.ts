import { addAscii, addFixedAscii, type TableDefinition } from './table.js';

/** Links with which a person reads their own data. */
export const person_links: TableDefinition = {
  content: 'links to the page of a person, as hashes',
  notice: 'Links that you got to see your data',
  identifies: 'person',
  retention: 'until the link expires or is removed',
  expiry: { column: 'expires_at_ms', maxAgeMs: 0 },
  erasesBySubject: { time: 'created_at_ms' },
  erasure: 'deleted',
  readBy: ['createLink', 'listLinks'],
  about: {
    'account_id link_id subject_id grants': 'whose data the link reads, and what else its page may do',
    key_hash: 'hash of the secret in the link, or of the cookie once the link was opened',
    code: 'keyed digest of the row, so that changes are detected',
    'maker_key_id created_at_ms opened_at_ms expires_at_ms': 'the API key that created it, and times',
  },
  columns(table) {
    addAscii(table, 'account_id', 32).notNullable();
    addAscii(table, 'link_id', 32).notNullable();
    addFixedAscii(table, 'key_hash', 64).notNullable();
    addAscii(table, 'subject_id', 256).notNullable();
    addAscii(table, 'grants', 64).notNullable();
    addAscii(table, 'maker_key_id', 32).notNullable();
    table.bigInteger('created_at_ms').notNullable();
    // Null until the link is opened.
    table.bigInteger('opened_at_ms').nullable();
    table.bigInteger('expires_at_ms').notNullable();
    table.primary(['account_id', 'link_id']);
  },
  coded: {
    key: ['account_id', 'link_id'],
    fields: ['key_hash', 'subject_id', 'grants', 'maker_key_id', 'created_at_ms', 'opened_at_ms', 'expires_at_ms'],
  },
  unique: { person_links_by_hash: ['key_hash'] },
  indexes: {
    person_links_by_subject: ['account_id', 'subject_id'],
    person_links_by_maker: ['maker_key_id'],
    person_links_by_expiry: ['expires_at_ms'],
  },
};
