import type { Knex } from 'knex';

/** Properties of the server that the connections of a pool have read. */
export interface ServerFacts {
  /** True if the server is a node of a Galera cluster. */
  isGalera: boolean;
  /** True if the server ends transactions that get no statement. */
  endsIdleTransactions: boolean;
}

/**
 * Returns true if other nodes of a cluster may write at the same time. Row locks then hold on one node only, and the
 * commit of the second writer of a row fails. The caller must have a connection, e.g. a transaction.
 */
export function hasOtherWriters(knex: Knex): boolean {
  return readFacts(knex)?.isGalera ?? false;
}

/** Returns true if no process can hold a lock without running statements. */
export function endsIdleTransactions(knex: Knex): boolean {
  return readFacts(knex)?.endsIdleTransactions ?? true;
}

function readFacts(knex: Knex): ServerFacts | undefined {
  return (knex.userParams as { server?: ServerFacts }).server;
}
