import { createRequire } from 'node:module';
import type { Knex } from 'knex';

const require = createRequire(import.meta.url);
const BetterSqlite3Client = require('knex/lib/dialects/better-sqlite3') as typeof Knex.Client;

/**
 * Knex's better-sqlite3 dialect on libsql, whose binary ships inside npm: no compiler and no install script
 * are needed on a fresh machine.
 */
export class LibsqlClient extends BetterSqlite3Client {
  // Knex asks the dialect for its driver through this method.
  _driver(): unknown {
    return require('libsql');
  }
}
