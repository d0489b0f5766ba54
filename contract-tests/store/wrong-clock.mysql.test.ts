import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createKey } from '../../src/keys/manage.js';
import { createKeyTable } from '../../src/store/keys.js';
import { batchResults } from '../../testkit/batch.js';
import { runMain, startMain } from '../../testkit/process.js';
import { client, Clock, startTestService } from '../../testkit/service.js';
import { temporaryDatabase } from '../../testkit/temporary-database.js';
import { temporaryFolder } from '../../testkit/temporary-folder.js';
import { bearer, issueToken } from '../../testkit/tokens.js';

const hourMs = 3_600_000;
const differences = [
  ['an hour ahead', hourMs],
  ['an hour behind', -hourMs],
] as const;

/** Starts a service whose own clock is wrong, on a database server whose clock is right. */
async function startWrong(aheadMs: number, env: Record<string, string> = {}) {
  const clock = new Clock();
  clock.advance(aheadMs / 1000);
  const service = await startTestService({ clock, hasOwnDatabaseClock: true, env });
  return { ...service, ...client(service.url, service.key, new Clock()) };
}

test.each(differences)(
  'a process whose clock is %s judges readings by the time of the database',
  async (_, aheadMs) => {
    const service = await startWrong(aheadMs);
    const right = new Clock();
    const state = await service.read({ timestamp: right.at(), heart_rate: 80 });
    const now = await service.request('/v1/state?session_id=s1');
    expect(now.body.confidence).toBeCloseTo(state.confidence, 1);
    expect(await service.ingest({ timestamp: right.at(aheadMs / 1000), heart_rate: 80 })).toMatchObject({
      status: 400,
      body: { code: aheadMs > 0 ? 'timestamp_in_future' : 'timestamp_too_old' },
    });
    const lines = [
      { session_id: 's2', timestamp: right.at(), heart_rate: 80 },
      { session_id: 's2', timestamp: right.at(-23.5 * 3600), heart_rate: 80, backfill: true },
      { session_id: 's2', timestamp: right.at(-24.5 * 3600), heart_rate: 80, backfill: true },
      { session_id: 's2', timestamp: right.at(1800), heart_rate: 80, backfill: true },
    ];
    expect((await batchResults(service, lines)).map(({ status }) => status)).toEqual([200, 200, 400, 400]);
  },
);

test.each(differences)(
  'a process whose clock is %s accepts its own tokens and keys until they expire',
  async (_, aheadMs) => {
    const service = await startWrong(aheadMs);
    const token = await issueToken(service, { expires_in: 60 });
    const reading = { session_id: 's1', timestamp: new Clock().at(), heart_rate: 80 };
    expect((await service.post('/v1/ingest', reading, bearer(token))).status).toBe(200);
    const statusWith = async (expiresInMs: number) => {
      const options = { account: 'short', tier: 'solo' as const, expiresAtMs: Date.now() + expiresInMs };
      const { key } = await createKey(service.store.use(createKeyTable), options, Date.now());
      return (await client(service.url, key, new Clock()).ingest({ heart_rate: 80 })).status;
    };
    expect([await statusWith(60_000), await statusWith(-60_000)]).toEqual([200, 401]);
  },
);

test('the built program judges readings by the time of the database, on both threads', async () => {
  const database = await temporaryDatabase('mysql');
  const TEST_CLOCK_FILE = join(await temporaryFolder(), 'clock');
  writeFileSync(TEST_CLOCK_FILE, String(Date.now() + hourMs));
  const env = { DATABASE_URL: database.url };
  const { stdout } = await runMain(['keys', 'create', '--account', 'acme', '--tier', 'solo'], env);
  const service = await startMain({ ...env, TEST_CLOCK_FILE });
  const calls = client(service.url, stdout.trim(), new Clock());
  expect((await calls.read({ heart_rate: 80 })).session_id).toBe('s1');
  await service.stop();
});
