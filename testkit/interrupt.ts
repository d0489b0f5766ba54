import type { Knex } from 'knex';
import type { Store } from '../src/store/store.js';

/** Returns a store whose transactions wait for `interrupt` before each query of a table. */
export function interruptBefore(store: Store, table: string, interrupt: () => Promise<unknown>): Store {
  return {
    ...store,
    transact: (work) =>
      store.transact((scopeOf) =>
        work((id) => {
          const scope = scopeOf(id);
          return { ...scope, knex: interruptQueries(scope.knex, table, interrupt) };
        }),
      ),
  };
}

function interruptQueries(knex: Knex.Transaction, table: string, interrupt: () => Promise<unknown>): Knex.Transaction {
  const delay = <Query extends PromiseLike<unknown>>(query: Query): Query => {
    const run = query.then.bind(query);
    query.then = (...done: Parameters<typeof run>) => interrupt().then(() => run(...done)) as never;
    return query;
  };
  return new Proxy(knex, {
    apply(target, self, args: [string]) {
      const query = Reflect.apply(target, self, args);
      return args[0] === table ? delay(query) : query;
    },
    get(target, name) {
      return name === 'client' ? interruptClient(target.client, table, interrupt) : Reflect.get(target, name);
    },
  });
}

/** The groups of readings send their statements through the client of Knex, several of them in one packet. */
function interruptClient(client: Knex.Client, table: string, interrupt: () => Promise<unknown>): Knex.Client {
  return new Proxy(client, {
    get(target, name) {
      if (name !== 'query') return Reflect.get(target, name);
      return async (connection: unknown, statement: { readonly sql: string }) => {
        if (statement.sql.includes(` from ${table} `)) await interrupt();
        return target.query(connection, statement);
      };
    },
  });
}
