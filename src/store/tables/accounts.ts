import { addAnyText, addAscii, addAsciiJson, addFixedAscii, type Tables } from './table.js';

/**
 * Accounts, which have keys, a tier and data, and the audit log. A key is looked up by its hash before its account is
 * known.
 */
export const accountTables: Tables = {
  accounts: {
    content: 'accounts and their settings',
    identifies: 'nobody',
    retention: 'without end',
    erasure: 'no data of people',
    readBy: [],
    about: {
      'account_id name tier created_at_ms': 'account',
      settings: 'e.g. the mode of consent and the stated purpose',
      webhook_epoch: 'internal number',
    },
    columns(table) {
      addAscii(table, 'account_id', 32).notNullable();
      addAscii(table, 'name', 64).notNullable();
      addAscii(table, 'tier', 16).notNullable();
      table.bigInteger('created_at_ms').notNullable();
      // Number of webhook registrations and 410 responses. It orders them relative to events without a clock.
      table.bigInteger('webhook_epoch').notNullable().defaultTo(0);
      // Null means that every setting has its default.
      addAsciiJson(table, 'settings').nullable();
      table.primary(['account_id']);
    },
    unique: { accounts_by_name: ['name'] },
  },
  api_keys: {
    content: 'API keys as hashes',
    identifies: 'nobody',
    retention: 'without end, also revoked ones',
    erasure: 'no data of people',
    readBy: [],
    about: {
      'account_id key_id key_hash display_prefix': 'key, as a hash and a prefix',
      'scopes networks': 'what the key may do, and from where',
      'created_at_ms expires_at_ms revoked_at_ms last_used_at_ms': 'times. The last use is rounded to the hour',
      code: 'keyed digest of the row, so that changes are detected',
    },
    columns(table) {
      addAscii(table, 'account_id', 32).notNullable();
      addAscii(table, 'key_id', 32).notNullable();
      addFixedAscii(table, 'key_hash', 64).notNullable();
      addAscii(table, 'display_prefix', 16).notNullable();
      // Comma-separated scope names. Null means all scopes.
      addAscii(table, 'scopes', 64).nullable();
      // Comma-separated canonical CIDRs, at most 32. Null means every address.
      addAscii(table, 'networks', 1500).nullable();
      table.bigInteger('created_at_ms').notNullable();
      table.bigInteger('expires_at_ms').nullable();
      table.bigInteger('revoked_at_ms').nullable();
      // Rounded to the hour, which is enough to find and revoke unused keys. Null if the key was never used.
      table.bigInteger('last_used_at_ms').nullable();
      table.primary(['account_id', 'key_id']);
    },
    unique: { api_keys_by_hash: ['key_hash'] },
    // Without the last use, which changes every hour.
    coded: {
      key: ['account_id', 'key_id'],
      fields: ['key_hash', 'display_prefix', 'scopes', 'networks', 'created_at_ms', 'expires_at_ms', 'revoked_at_ms'],
    },
  },
  key_audit: {
    content: 'audit log of keys and accounts. `actor` may name an administrator',
    identifies: 'person',
    retention: 'without end',
    erasure: 'none: it names administrators, not the people whose signals are sent',
    readBy: [],
    about: {
      'account_id entry_id at_ms action': 'what was done, and when',
      'key_id key_prefix details': 'which key, and how it was changed',
      actor: 'who did it, e.g. a user name of the machine',
      code: 'keyed digest of the row, so that changes are detected',
    },
    columns(table) {
      addAscii(table, 'account_id', 32).notNullable();
      addAscii(table, 'entry_id', 32).notNullable();
      table.bigInteger('at_ms').notNullable();
      addAscii(table, 'action', 16).notNullable();
      // Null for a change of the account itself.
      addAscii(table, 'key_id', 32).nullable();
      addAscii(table, 'key_prefix', 16).nullable();
      addAnyText(table, 'actor').notNullable();
      addAsciiJson(table, 'details').notNullable();
      table.primary(['account_id', 'at_ms', 'entry_id']);
    },
    indexes: { key_audit_by_time: ['at_ms', 'entry_id'] },
    coded: {
      key: ['account_id', 'at_ms', 'entry_id'],
      fields: ['action', 'key_id', 'key_prefix', 'actor', 'details'],
    },
  },
};
