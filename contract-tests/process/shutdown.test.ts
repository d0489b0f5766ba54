import { readConfig } from '../../src/config/config.js';
import { createKey } from '../../src/keys/manage.js';
import { createKeyTable } from '../../src/store/keys.js';
import { findPoints } from '../../src/store/history-points.js';
import { createSessionReader } from '../../src/store/sessions.js';
import { openStore } from '../../src/store/store.js';
import { migratedDatabase } from '../../testkit/temporary-database.js';
import { startMain } from '../../testkit/process.js';
import { expect, onTestFinished, test } from '../../testkit/test.js';
import { until } from '../../testkit/until.js';

const senders = 20;

/**
 * Sends readings one after another until the service has stopped. Adds acknowledged readings to `acknowledged`. Resolves
 * with the rejected readings.
 */
async function sendUntilRefused(url: string, key: string, sender: number, acknowledged: string[]) {
  const refused: string[] = [];
  const baseMs = Date.now() - 60_000;
  for (let index = 0; index < 20_000; index++) {
    const timestamp = new Date(baseMs + index).toISOString();
    const body = JSON.stringify({ session_id: `s${sender}`, timestamp, heart_rate: 70 });
    const headers = { 'X-Service-Key': key, 'Content-Type': 'application/json' };
    try {
      const answer = await fetch(`${url}/v1/ingest`, { method: 'POST', headers, body });
      await answer.text();
      (answer.status === 200 ? acknowledged : refused).push(timestamp);
      if (answer.status === 503) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    } catch {
      return refused;
    }
  }
  throw new Error('the service did not end');
}

test.each([
  ['two threads', '2'],
  ['one thread', '1'],
])(
  'at SIGTERM under load of %s, acknowledged readings are stored, rejected readings are not, and the process exits',
  async (_, THREADS) => {
    const database = await migratedDatabase();
    const store = openStore(readConfig({ DATABASE_URL: database.url }).database);
    onTestFinished(store.close);
    const { key } = await createKey(store.use(createKeyTable), { account: 'load', tier: 'enterprise' }, Date.now());
    const service = await startMain({ DATABASE_URL: database.url, LOG_LEVEL: 'silent', THREADS });
    const acknowledgedBy = Array.from({ length: senders }, (): string[] => []);
    const sending = Promise.all(
      acknowledgedBy.map((acknowledged, sender) => sendUntilRefused(service.url, key, sender, acknowledged)),
    );
    await until('a reading of each sender', () => acknowledgedBy.every(({ length }) => length > 0));
    const [ended, refusedBy] = await Promise.all([service.stop('SIGTERM'), sending]);
    expect(ended.code).toBe(0);
    const [row] = await store.use(createKeyTable).list('load');
    const reader = store.read(row?.accountId ?? '');
    for (const [sender, acknowledged] of acknowledgedBy.entries()) {
      const incarnation = (await createSessionReader(reader).find(`s${sender}`))?.incarnation ?? '';
      const points = await findPoints(reader, [incarnation], { afterMs: 0, nowMs: Date.now() });
      const stored = points.map((it) => new Date(it.timestampMs).toISOString());
      expect(stored).toEqual(expect.arrayContaining(acknowledged));
      expect(refusedBy[sender]?.filter((it) => stored.includes(it))).toEqual([]);
    }
  },
);

test('after SIGTERM, the readiness probe fails and requests are served until SHUTDOWN_DELAY_SECONDS have passed', async () => {
  const database = await migratedDatabase();
  const service = await startMain({ DATABASE_URL: database.url, SHUTDOWN_DELAY_SECONDS: '6' });
  service.signal('SIGTERM');
  const statusOf = async (path: string) => (await fetch(service.url + path)).status;
  await until('the readiness probe fails', async () => (await statusOf('/readyz')) === 503);
  // A closing process rejects this request with 503.
  expect(await statusOf('/v1/state')).toBe(401);
  const { code, stderr } = await service.ended;
  expect([code, stderr]).toEqual([0, expect.stringMatching(/"delay_s":6,"msg":"stopping: [^]*"msg":"stopped"/)]);
});
