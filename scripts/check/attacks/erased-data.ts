import { existsSync, readFileSync } from 'node:fs';
import mysql from 'mysql2/promise';
import type { Scenario } from './scenario.js';
import type { Stage } from './stage.js';

const subject = 'erased-person-5b1f';
const sessionPrefix = 'erased-session-5b1f';
const sessions = 30;
const readingsPerSession = 20;

/** Checks that erased names do not remain in the pages of a database file. */
export const erasedData: Scenario = {
  item: 10,
  title: 'search for an erased person in the stored bytes',
  async prepare({ attacker }) {
    await attacker.webhooks.register('http://127.0.0.1:9/refused');
    const names = Array.from({ length: sessions }, (_, session) => `${sessionPrefix}-${session}`);
    await Promise.all(names.map((name) => repeat(readingsPerSession, () => attacker.swing(name, subject))));
  },
  async attack({ service, attacker }) {
    const options = { method: 'DELETE', headers: { 'X-Service-Key': attacker.key } };
    const response = await fetch(`${service().url}/v1/subjects/${subject}`, options);
    return [{ what: 'erasures that failed', found: response.status === 200 ? 0 : 1, allowed: 0 }];
  },
  async inspect(stage) {
    await stage.restart();
    const names = Array.from({ length: sessions }, (_, session) => `after-${session}`);
    await Promise.all(names.map((name) => repeat(readingsPerSession, () => stage.attacker.swing(name))));
    const bytes = stage.kind === 'sqlite' ? readFiles(stage) : await readTables(stage);
    return [
      {
        what: `the subject's name in the ${stage.kind === 'sqlite' ? 'files' : 'rows'}`,
        found: count(bytes, subject),
        allowed: 0,
      },
      { what: 'names of its sessions', found: count(bytes, sessionPrefix), allowed: 0 },
      { what: 'bytes searched', found: bytes.length },
    ];
  },
};

async function repeat(count: number, act: () => Promise<unknown>): Promise<void> {
  for (let done = 0; done < count; done += 1) await act();
}

function readFiles({ databaseUrl }: Stage): Buffer {
  const file = databaseUrl.replace(/^sqlite:/, '');
  const files = ['', '-wal', '-shm', '-journal'].map((suffix) => file + suffix).filter((path) => existsSync(path));
  return Buffer.concat(files.map((path) => readFileSync(path)));
}

/**
 * Returns the rows of all tables. On MySQL, rows are searched instead of files, because InnoDB keeps deleted rows in
 * the files until its own purge.
 */
async function readTables({ databaseUrl }: Stage): Promise<Buffer> {
  const connection = await mysql.createConnection({ uri: databaseUrl });
  try {
    const [tables] = await connection.query<mysql.RowDataPacket[]>('show tables');
    const dumps: string[] = [];
    for (const table of tables.map((row) => String(Object.values(row)[0]))) {
      const [rows] = await connection.query({ sql: `select * from \`${table}\``, rowsAsArray: true });
      dumps.push(JSON.stringify(rows, (_, value) => textOf(value)));
    }
    return Buffer.from(dumps.join('\n'));
  } finally {
    await connection.end();
  }
}

/** Converts binary columns to text, because JSON turns their buffers into objects. */
function textOf(value: unknown): unknown {
  const { type, data } = (value ?? {}) as { type?: unknown; data?: unknown };
  return type === 'Buffer' && Array.isArray(data) ? Buffer.from(data).toString('latin1') : value;
}

function count(bytes: Buffer, text: string): number {
  let found = 0;
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) found += 1;
  return found;
}
