import Libsql from 'libsql';
import mysql from 'mysql2/promise';
import type { DatabaseKind } from '../../testkit/databases.js';

/** Maximum wait for the lock of a table that the service is using, s. */
const waitSeconds = 5;

/** Causes real faults through a second connection. */
export interface DatabaseFaults {
  /** Puts a view in the place of the table. Every statement on it fails. */
  damage(table: string): Promise<void>;
  /** Restores the table. */
  repair(table: string): Promise<void>;
  /** Locks the tables. On SQLite, only writers wait for the lock. */
  lock(tables: readonly string[]): Promise<void>;
  unlock(): Promise<void>;
  close(): Promise<void>;
}

export function openDatabaseFaults(kind: DatabaseKind, url: string): Promise<DatabaseFaults> {
  return kind === 'sqlite' ? openSqlite(url.slice('sqlite:'.length)) : openMysql(url);
}

async function openSqlite(file: string): Promise<DatabaseFaults> {
  const database = new Libsql(file);
  const run = async (sql: string) => void database.exec(sql);
  await run(`pragma busy_timeout = ${waitSeconds * 1000}`);
  return {
    async damage(table) {
      await run(`alter table ${table} rename to ${table}_hidden`);
      await run(`create view ${table} as select t.* from json_each('no JSON') cross join ${table}_hidden t`);
    },
    repair: (table) => run(`drop view ${table}; alter table ${table}_hidden rename to ${table}`),
    lock: () => run('begin immediate'),
    unlock: () => run('rollback'),
    close: async () => void database.close(),
  };
}

async function openMysql(url: string): Promise<DatabaseFaults> {
  const connection = await mysql.createConnection({ uri: url });
  const run = async (sql: string) => void (await connection.query(sql));
  await run(`set session lock_wait_timeout = ${waitSeconds}`);
  return {
    async damage(table) {
      await run(`rename table ${table} to ${table}_hidden`);
      // The limit keeps the server from reading only the rows that a statement needs, which may be none.
      const select = `select * from ${table}_hidden where (select 1 union select 2) limit 1000000`;
      await run(`create algorithm = temptable view ${table} as ${select}`);
    },
    async repair(table) {
      await run(`drop view ${table}`);
      await run(`rename table ${table}_hidden to ${table}`);
    },
    lock: (tables) => run(`lock tables ${tables.map((table) => `${table} write`).join(', ')}`),
    unlock: () => run('unlock tables'),
    close: () => connection.end(),
  };
}
