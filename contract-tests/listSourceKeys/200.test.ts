import { createSourceKey } from '../../src/keys/source-keys.js';
import { createKeyTable } from '../../src/store/keys.js';
import { openPage, pageEnv } from '../../testkit/person-link.js';
import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

test('a list names the API key that made each source key, but not on the page of a person', async () => {
  const service = await startTestService({ env: pageEnv });
  const { store, accountId, clock, request } = service;
  const ofCommandLine = { accountId, keyId: null, actor: 'test' };
  await store
    .use(createKeyTable)
    .transact((it) => createSourceKey(it, ofCommandLine, { subject_id: 'anna', source: 'generic' }, clock.nowMs));
  clock.advance(1);
  const page = await openPage(service, { grants: ['connect'] });
  expect((await page.write('POST', 'v1/source-keys', { source: 'generic' })).status).toBe(201);
  const keys = await store.use(createKeyTable).list();
  const key = keys.find(({ displayPrefix }) => service.key.startsWith(displayPrefix));
  const { source_keys } = (await request('/v1/source-keys')).body;
  expect(source_keys.map((it: object) => 'maker_key_id' in it && it.maker_key_id)).toEqual([key?.keyId, false]);
  const own = (await page.read('v1/source-keys')).body.source_keys;
  expect(own.map((it: object) => 'maker_key_id' in it)).toEqual([false, false]);
});
