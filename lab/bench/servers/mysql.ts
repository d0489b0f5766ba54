import mysql, { type PoolConnection } from 'mysql2/promise';
import type { RecordReading } from './server.js';

const tables = [
  `create table if not exists sessions (
     session_id varchar(256) character set ascii collate ascii_bin primary key,
     subject_id varchar(256) character set ascii collate ascii_bin,
     readings int not null,
     last_reading text not null)`,
  `create table if not exists readings (
     id bigint auto_increment primary key,
     session_id varchar(256) character set ascii collate ascii_bin not null,
     timestamp_ms bigint not null,
     body text not null,
     index (session_id, timestamp_ms))`,
];
const triesMax = 5;

/** Opens a pool of mysql2's default size. READ COMMITTED prevents gap locks between new sessions. */
export async function openMysql(uri: string): Promise<RecordReading> {
  const pool = mysql.createPool({ uri });
  pool.on('connection', (connection) => {
    // A connection runs its commands in order. This setting therefore applies before the first transaction.
    void connection.query('set session transaction isolation level read committed');
  });
  for (const table of tables) await pool.query(table);
  return async (reading) => {
    const body = JSON.stringify(reading);
    const { session_id, subject_id = null } = reading;
    const connection = await pool.getConnection();
    try {
      await inTransaction(connection, async () => {
        await connection.execute('select last_reading from sessions where session_id = ? for update', [session_id]);
        await connection.execute(
          `insert into sessions (session_id, subject_id, readings, last_reading) values (?, ?, 1, ?)
           on duplicate key update readings = readings + 1, last_reading = values(last_reading)`,
          [session_id, subject_id, body],
        );
        await connection.execute('insert into readings (session_id, timestamp_ms, body) values (?, ?, ?)', [
          session_id,
          Date.parse(reading.timestamp),
          body,
        ]);
      });
    } finally {
      connection.release();
    }
  };
}

/** Retries the whole transaction after a deadlock, as MySQL's manual recommends. */
async function inTransaction(connection: PoolConnection, work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1)
    try {
      await connection.beginTransaction();
      await work();
      return await connection.commit();
    } catch (error) {
      await connection.rollback();
      if ((error as { code?: string }).code !== 'ER_LOCK_DEADLOCK' || tries === triesMax) throw error;
    }
}
