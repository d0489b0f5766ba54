import { ascii, asciiOf, type Tables } from './create-table.js';

/**
 * The access record: the entries, the chains that make changes detectable, and the pseudonyms of persons. Keys of chains
 * do not begin with the account, because a chain has entries of all accounts.
 */
export const accessTables: Tables = {
  access_entries: {
    columns(table) {
      asciiOf(table, 'chain_id', 16).notNullable();
      table.bigInteger('seq').notNullable();
      // Start of the minute.
      table.bigInteger('at_ms').notNullable();
      ascii(table, 'account_id', 32).notNullable();
      ascii(table, 'key_id', 32).notNullable();
      ascii(table, 'credential', 8).notNullable();
      ascii(table, 'action', 8).notNullable();
      ascii(table, 'operation', 64).notNullable();
      // Pseudonym of the person. `*`: all persons of the account. `-`: a session without a person. `!`: an erased person.
      ascii(table, 'subject', 32).notNullable();
      asciiOf(table, 'mac', 64).notNullable();
      table.primary(['chain_id', 'seq']);
    },
    indexes: {
      access_entries_by_subject: ['account_id', 'subject', 'at_ms', 'chain_id', 'seq'],
      access_entries_by_time: ['at_ms', 'chain_id', 'seq'],
    },
  },
  access_chains: {
    columns(table) {
      asciiOf(table, 'chain_id', 16).notNullable();
      // Check value of the secrets key that signs the chain.
      asciiOf(table, 'key_check', 16).notNullable();
      // The checkpoint: number and code of the last entry, and the time of its storage.
      table.bigInteger('seq').notNullable();
      asciiOf(table, 'mac', 64).notNullable();
      table.bigInteger('at_ms').notNullable();
      asciiOf(table, 'signature', 64).notNullable();
      table.primary(['chain_id']);
    },
    indexes: { access_chains_by_time: ['at_ms'] },
  },
  access_subjects: {
    columns(table) {
      ascii(table, 'account_id', 32).notNullable();
      asciiOf(table, 'pseudonym', 32).notNullable();
      // Null after an erasure.
      ascii(table, 'subject_id', 256);
      // Code of the other three columns, so that changes are detected.
      asciiOf(table, 'code', 32).notNullable();
      // Time of an access of the last day on which there was one.
      table.bigInteger('used_at_ms').notNullable();
      table.primary(['account_id', 'pseudonym']);
    },
    indexes: { access_subjects_by_time: ['used_at_ms'] },
    unique: { access_subjects_by_subject: ['account_id', 'subject_id'] },
  },
};
