import type { Knex } from 'knex';

/** What the connections of a pool found out about their server. */
export interface ServerFacts {
  /** True if the server is a node of a Galera cluster. */
  isGalera: boolean;
}

export function createServerFacts(): ServerFacts {
  return { isGalera: false };
}

/**
 * Returns true if other nodes of a cluster may write at the same time. Row locks then hold on one node only, and the
 * commit of the second writer of a row fails. The caller must have a connection, e.g. a transaction.
 */
export function hasOtherWriters(knex: Knex): boolean {
  const { server } = knex.userParams as { server?: ServerFacts };
  return server?.isGalera ?? false;
}
