import Database from 'libsql';
import type { RecordReading } from './server.js';

/** Opens a database whose commits are as durable as those of the service: WAL, synchronized at every commit. */
export function openSqlite(file: string): RecordReading {
  const database = new Database(file);
  database.exec(`
    pragma journal_mode = wal;
    pragma synchronous = full;
    create table if not exists sessions (
      session_id text primary key, subject_id text, readings integer not null, last_reading text not null);
    create table if not exists readings (
      id integer primary key, session_id text not null, timestamp_ms integer not null, body text not null);
    create index if not exists readings_of_session on readings (session_id, timestamp_ms);`);
  const find = database.prepare('select last_reading from sessions where session_id = ?');
  const upsert = database.prepare(
    `insert into sessions (session_id, subject_id, readings, last_reading) values (?, ?, 1, ?)
     on conflict (session_id) do update set readings = readings + 1, last_reading = excluded.last_reading`,
  );
  const insert = database.prepare('insert into readings (session_id, timestamp_ms, body) values (?, ?, ?)');
  // BEGIN IMMEDIATE takes SQLite's write lock, which corresponds to a row lock of MySQL.
  return database.transaction((reading: Parameters<RecordReading>[0]) => {
    const body = JSON.stringify(reading);
    find.get(reading.session_id);
    upsert.run(reading.session_id, reading.subject_id ?? null, body);
    insert.run(reading.session_id, Date.parse(reading.timestamp), body);
  }).immediate;
}
