import { addAscii, addFixedAscii, type Tables } from './table.js';

/**
 * The access record: the entries, the chains that make changes detectable, and the pseudonyms of persons. Keys of chains
 * do not begin with the account, because a chain has entries of all accounts.
 */
export const accessTables: Tables = {
  access_entries: {
    content: 'access record: which key read, exported or erased whose data',
    identifies: 'pseudonym',
    retention: 'RETENTION_ACCESS_DAYS',
    // Chains are deleted as a whole, so that the rest stays verifiable.
    expiry: {
      ...{ kind: 'accesses', column: 'at_ms' },
      condition: 'chain_id in (select chain_id from access_chains where at_ms < ?)',
    },
    erasure: 'stay. Nobody can tell any more to whom they belong',
    readBy: ['listAccesses'],
    about: {
      'chain_id seq mac': 'chain, number and code of the entry',
      at_ms: 'minute of the access',
      'account_id key_id credential': 'account, key, and whether a token or a link was used',
      'action operation': 'what was done',
      subject: 'pseudonym of the person',
    },
    columns(table) {
      addFixedAscii(table, 'chain_id', 16).notNullable();
      table.bigInteger('seq').notNullable();
      // Start of the minute.
      table.bigInteger('at_ms').notNullable();
      addAscii(table, 'account_id', 32).notNullable();
      addAscii(table, 'key_id', 32).notNullable();
      addAscii(table, 'credential', 8).notNullable();
      addAscii(table, 'action', 8).notNullable();
      addAscii(table, 'operation', 64).notNullable();
      // Pseudonym of the person. `*`: all persons of the account. `-`: a session without a person. `!`: an erased person.
      addAscii(table, 'subject', 32).notNullable();
      addFixedAscii(table, 'mac', 64).notNullable();
      table.primary(['chain_id', 'seq']);
    },
    indexes: {
      access_entries_by_subject: ['account_id', 'subject', 'at_ms', 'chain_id', 'seq'],
      access_entries_by_time: ['at_ms', 'chain_id', 'seq'],
    },
  },
  access_chains: {
    content: 'signed checkpoints of the access record',
    identifies: 'nobody',
    retention: 'RETENTION_ACCESS_DAYS',
    erasure: 'no data of people',
    readBy: [],
    about: { 'chain_id key_check seq mac at_ms signature': 'chain, its last entry, and a signature' },
    columns(table) {
      addFixedAscii(table, 'chain_id', 16).notNullable();
      // Check value of the secrets key that signs the chain.
      addFixedAscii(table, 'key_check', 16).notNullable();
      // The checkpoint: number and code of the last entry, and the time of its storage.
      table.bigInteger('seq').notNullable();
      addFixedAscii(table, 'mac', 64).notNullable();
      table.bigInteger('at_ms').notNullable();
      addFixedAscii(table, 'signature', 64).notNullable();
      table.primary(['chain_id']);
    },
    indexes: { access_chains_by_time: ['at_ms'] },
  },
  access_subjects: {
    content: 'link between people and their pseudonyms',
    identifies: 'person',
    retention: 'RETENTION_ACCESS_DAYS',
    // No entry of the chains that are stored requires an older link.
    expiry: { column: 'used_at_ms', graceMs: 2 * 24 * 3_600_000 },
    erasure: 'deleted',
    readBy: ['listAccesses'],
    about: {
      'account_id subject_id': 'account and person. An erasure removes the person',
      pseudonym: 'pseudonym in `access_entries`',
      code: 'keyed digest of the account, the person and the pseudonym',
      used_at_ms: 'a time on the last day with an access',
    },
    columns(table) {
      addAscii(table, 'account_id', 32).notNullable();
      addFixedAscii(table, 'pseudonym', 32).notNullable();
      // Null after an erasure.
      addAscii(table, 'subject_id', 256);
      // Code of the other three columns, so that changes are detected.
      addFixedAscii(table, 'code', 32).notNullable();
      // Time of an access of the last day on which there was one.
      table.bigInteger('used_at_ms').notNullable();
      table.primary(['account_id', 'pseudonym']);
    },
    indexes: { access_subjects_by_time: ['used_at_ms'] },
    unique: { access_subjects_by_subject: ['account_id', 'subject_id'] },
  },
};
