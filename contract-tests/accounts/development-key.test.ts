import { expect, test } from 'vitest';
import { keys as settings } from '../../generated/spec.js';
import { createDevelopmentKey, listDevelopmentKeyWarnings } from '../../src/keys/development-key.js';
import { createKey } from '../../src/keys/manage.js';
import { createKeyTable } from '../../src/store/keys.js';
import { temporaryDatabase } from '../../testkit/temporary-database.js';
import { startTestService } from '../../testkit/service.js';

const daySeconds = 24 * 60 * 60;

test('the startup warns 7 days before a development key expires, and its first use after the expiry logs the remedy', async () => {
  const database = await temporaryDatabase();
  const { store, clock, request, logs } = await startTestService({ database });
  const keys = store.use(createKeyTable);
  const { key } = await createDevelopmentKey(keys, clock.nowMs);
  const statusOf = async () => (await request('/webhooks', { headers: { 'X-Service-Key': key } })).status;
  expect([await statusOf(), await listDevelopmentKeyWarnings(keys, clock.nowMs)]).toEqual([200, []]);
  clock.advance((settings.development_key_days - 7) * daySeconds);
  expect(await listDevelopmentKeyWarnings(keys, clock.nowMs)).toEqual([expect.stringContaining('expires on ')]);
  clock.advance(7 * daySeconds);
  expect([await statusOf(), await statusOf()]).toEqual([401, 401]);
  const command = 'npx state-service keys create --account development';
  expect(await listDevelopmentKeyWarnings(keys, clock.nowMs)).toEqual([expect.stringContaining(command)]);
  const lines = logs.map((it) => JSON.parse(it)).filter(({ msg }) => msg.startsWith('API key expired'));
  expect(lines).toEqual([expect.objectContaining({ level: 40, account: 'development' })]);
  expect(lines[0].msg).toContain(command);
  await createKey(keys, { account: 'development' }, clock.nowMs);
  expect(await listDevelopmentKeyWarnings(keys, clock.nowMs)).toEqual([]);
});
