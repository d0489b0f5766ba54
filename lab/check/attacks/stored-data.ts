import mysql from 'mysql2/promise';
import { existsSync, readFileSync } from 'node:fs';
import { openReceiver } from '../../../testkit/open-receiver.js';
import { until } from '../../../testkit/until.js';
import { must } from '../../../testkit/verdict.js';
import { retention } from '../../../generated/spec.js';
import { readConfig } from '../../../src/config/config.js';
import { type Schema } from '../../../src/contract/contract.js';
import { purgeExpired } from '../../../src/retention/purge.js';
import { openStore } from '../../../src/store/store.js';
import { type Scenario } from './scenario.js';
import { type Caller, type Stage } from './stage.js';

const purged = 'purged-person';
const session = 'purged-session';
const idleMs = (retention.idle_sessions_hours + 2) * 3_600_000;
const gonePath = '/gone';

/** Checks that an erasure also deletes the deliveries of sessions that the purge has already deleted. */
export const purgedSessions: Scenario = {
  item: 5,
  title: 'erasure of a person whose sessions were purged',
  async prepare(stage) {
    const { attacker } = stage;
    // A delivery to one path fails at its first attempt with 410, which disables the webhook.
    const receiver = await openReceiver(
      ({ path }, response) => void response.writeHead(path === gonePath ? 410 : 204).end(),
    );
    stage.defer(receiver.close);
    for (const path of [gonePath, '/kept'])
      await attacker.request('/webhooks/register', {
        url: new URL(path, receiver.url).href,
        events: ['state_change'],
        session_id: session,
      });
    for (let reading = 0; reading < 3; reading += 1) await attacker.swing(session, purged);
    await until('the delivery failed', async () => (await failedOf(attacker)).length > 0);
    await purgeLater(stage);
    await until('the session was purged', async () => (await statusOfSession(stage)) === 404);
  },
  async attack(stage) {
    const { attacker } = stage;
    const before = (await failedOf(attacker)).length;
    const erased = await erase(stage);
    const { webhooks } = await attacker.request<Schema<'WebhookList'>>('/webhooks');
    return [
      must('a failed delivery of the person was listed before', before > 0),
      must('the erasure returned 200 or 404', [200, 404].includes(erased)),
      {
        what: 'failed deliveries of the person listed afterwards',
        found: (await failedOf(attacker)).length,
        allowed: 0,
      },
      {
        what: "active webhooks that name the person's session",
        found: webhooks.filter(({ session_id, status }) => session_id === session && status !== 'disabled').length,
        allowed: 0,
      },
    ];
  },
};

/** Purges as a service would after the retention. A clock that is set ahead purges nothing. */
async function purgeLater({ databaseUrl, clock }: Stage): Promise<void> {
  const store = openStore(readConfig({ DATABASE_URL: databaseUrl }).database);
  await purgeExpired(store, clock.now() + idleMs).finally(store.close);
}

async function failedOf({ webhooks }: Caller): Promise<Array<Schema<'FailedDelivery'>>> {
  return (await webhooks.allFailed()).filter(({ payload }) => payload.session_id === session);
}

async function statusOfSession({ service, attacker: { key } }: Stage): Promise<number> {
  const headers = { 'X-Service-Key': key };
  return (await fetch(`${service().url}/v1/state?session_id=${session}`, { headers })).status;
}

async function erase({ service, attacker: { key } }: Stage): Promise<number> {
  const options = { method: 'DELETE', headers: { 'X-Service-Key': key } };
  return (await fetch(`${service().url}/v1/subjects/${purged}`, options)).status;
}

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

const hourMs = 3_600_000;
const changedSessions = 20;

/** Checks that a webhook gets the events after its registration even if the clock was set back in between. */
export const clockSetBack: Scenario = {
  item: 7,
  title: 'clock set back one hour after a webhook was registered',
  async prepare({ clock }) {
    await clock.shift(-hourMs);
  },
  async attack({ attacker, defer }) {
    const arrived = new Set<string>();
    const receiver = await openReceiver(({ event }, response) => {
      arrived.add(`${event.session_id} ${event.timestamp}`);
      response.writeHead(204).end();
    });
    defer(receiver.close);
    await attacker.webhooks.register(receiver.url);
    const changes: string[] = [];
    for (let session = 0; session < changedSessions; session += 1) {
      await attacker.swing(`set-back-${session}`);
      const { timestamp } = await attacker.swing(`set-back-${session}`);
      changes.push(`set-back-${session} ${timestamp}`);
    }
    const missing = () => changes.filter((change) => !arrived.has(change)).length;
    await until('every event arrives', () => missing() === 0).catch(() => undefined);
    return [
      { what: `events missing of ${changedSessions}, at a webhook registered later`, found: missing(), allowed: 0 },
    ];
  },
};
