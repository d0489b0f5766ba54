import knex, { type Knex } from 'knex';
import { isDenied } from './retry.js';
import { dropIndexHints } from './rows.js';
import type { ServerFacts } from './server-facts.js';

interface Query {
  readonly sql: string;
  /** True for the last statements of a transaction. See `runStatements`. */
  readonly isLast?: boolean;
  response?: readonly [rows: unknown, fields: unknown];
}

interface Client {
  readonly config: { readonly userParams?: { readonly server?: ServerFacts } };
  _query(connection: object, query: Query): Promise<Query>;
}

/** `begun`: BEGIN waits for the first statement. `committed`: COMMIT is in the packet of the last statements. */
const frames = new WeakMap<object, 'begun' | 'committed'>();

/**
 * Returns Knex's mysql2 dialect with fewer round trips: it sends BEGIN in the packet of the first statement of a
 * transaction, and COMMIT in the packet of the last ones. The server stops at the first error of a packet, so it never
 * commits after one.
 *
 * A Galera node gets them one by one, for the reason at `runStatements`.
 *
 * Replaces a connection whose user lacks a right, because a right that is granted may count for new connections only.
 * Runs a statement without its index if the index is missing.
 */
export function createMysqlClient(): typeof Knex.Client {
  // An instance without a connection loads no driver.
  const BaseClient: new () => Client = knex({ client: 'mysql2' }).client.constructor;
  class MysqlDialect extends BaseClient {
    override async _query(connection: object, query: Query): Promise<Query> {
      const isPacked = !this.config.userParams?.server?.isGalera;
      const frame = frames.get(connection);
      frames.delete(connection);
      if (query.sql === 'BEGIN;' && isPacked) {
        frames.set(connection, 'begun');
        return answer(query, []);
      }
      if (frame && (query.sql === 'COMMIT;' || query.sql === 'ROLLBACK')) return answer(query, []);
      if (frame === 'committed') throw new Error('a statement follows the last statements of its transaction');
      const isLast = isPacked && query.isLast === true;
      if (isLast) frames.set(connection, 'committed');
      try {
        return await sendFramed(query, frame === 'begun', isLast, (packet) => super._query(connection, packet));
      } catch (error) {
        frames.delete(connection);
        // Marks the connection, so that Knex replaces it.
        if (isDenied(error)) Object.assign(connection, { __knex__disposed: error });
        const sql = dropIndexHints(query.sql, error);
        if (sql === undefined) throw error;
        if (frame) frames.set(connection, frame);
        return this._query(connection, Object.assign(query, { sql }));
      }
    }
  }
  // The types of Knex do not declare the overridden method.
  return MysqlDialect as unknown as typeof Knex.Client;
}

/** Sends the statements in one packet with BEGIN and COMMIT. Removes the results of both. */
async function sendFramed(
  query: Query,
  begins: boolean,
  commits: boolean,
  send: (packet: Query) => Promise<Query>,
): Promise<Query> {
  if (!begins && !commits) return send(query);
  const sql = `${begins ? 'begin; ' : ''}${query.sql}${commits ? '; commit' : ''}`;
  const { response: [rows, fields] = [] } = await send({ ...query, sql });
  const pick = (all: unknown) => {
    const own = (all as unknown[]).slice(begins ? 1 : 0, commits ? -1 : undefined);
    // The driver returns one result without a list.
    return own.length === 1 ? own[0] : own;
  };
  return answer(query, pick(rows), pick(fields));
}

function answer(query: Query, rows: unknown, fields: unknown = []): Query {
  query.response = [rows, fields];
  return query;
}
