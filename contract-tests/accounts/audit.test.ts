import { randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { createKey, KeyError, revokeKey, rotateKey } from '../../src/keys/manage.js';
import { changeSetting } from '../../src/keys/settings.js';
import { createKeyTable } from '../../src/store/keys.js';
import type { Store } from '../../src/store/store.js';
import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

async function entriesOf(store: Store, account: string) {
  const keys = store.use(createKeyTable);
  const accountId = (await keys.accountByName(account))?.accountId;
  return keys.auditEntries(100, accountId);
}

test('the audit log contains each create, rotate, revoke and change of the tier with time, key, actor and changed values', async () => {
  const { store, clock } = await startTestService();
  const account = `audited-${randomUUID()}`;
  const options = { scopes: ['read'], networks: ['10.0.0.0/8'], expiresAtMs: clock.nowMs + 9e8 } as const;
  const first = await createKey(store.use(createKeyTable), { account, tier: 'free', ...options }, clock.nowMs);
  const second = await rotateKey(store.use(createKeyTable), first.keyId, true, clock.nowMs + 1);
  await revokeKey(store.use(createKeyTable), second.keyId, clock.nowMs + 2);
  await changeSetting(store.use(createKeyTable), { account, name: 'tier', word: 'solo' }, clock.nowMs + 3);
  const actor = `${userInfo().username}@${hostname()}`;
  const at = (ms: number) => new Date(clock.nowMs + ms).toISOString();
  const common = { account, actor };
  expect(await entriesOf(store, account)).toMatchObject([
    { ...common, action: 'set', keyId: null, keyPrefix: null, details: { setting: 'tier', from: 'free', to: 'solo' } },
    { ...common, action: 'revoke', keyId: second.keyId, keyPrefix: second.key.slice(0, 7), atMs: clock.nowMs + 2 },
    { ...common, action: 'rotate', keyId: first.keyId, details: { successor: second.keyId, ends_at: at(1) } },
    {
      ...common,
      action: 'create',
      keyId: first.keyId,
      details: { scopes: ['read'], networks: ['10.0.0.0/8'], expires_at: at(9e8) },
    },
  ]);
  expect(JSON.stringify(await store.use(createKeyTable).auditEntries(100))).not.toContain(first.key);
});

test('a failed change adds no audit entry, and revoking twice adds one', async ({ service: { store, clock } }) => {
  const account = `audited-${randomUUID()}`;
  const { keyId } = await createKey(store.use(createKeyTable), { account, tier: 'free' }, clock.nowMs);
  await revokeKey(store.use(createKeyTable), keyId, clock.nowMs);
  await revokeKey(store.use(createKeyTable), keyId, clock.nowMs);
  await expect(rotateKey(store.use(createKeyTable), keyId, false, clock.nowMs)).rejects.toThrow(KeyError);
  await expect(createKey(store.use(createKeyTable), { account, tier: 'solo' }, clock.nowMs)).rejects.toThrow(KeyError);
  expect((await entriesOf(store, account)).map(({ action }) => action).sort()).toEqual(['create', 'revoke']);
});

test('keys created concurrently for one new account share the account', async ({ service: { store, clock } }) => {
  const account = `audited-${randomUUID()}`;
  const create = () => createKey(store.use(createKeyTable), { account, tier: 'free' }, clock.nowMs);
  await Promise.all(Array.from({ length: 8 }, create));
  const keys = await store.use(createKeyTable).list(account);
  expect([keys.length, new Set(keys.map(({ accountId }) => accountId)).size]).toEqual([8, 1]);
  expect(await entriesOf(store, account)).toHaveLength(8);
});

test('a rotated key keeps its scopes and networks', async ({ service: { store, clock } }) => {
  const account = `audited-${randomUUID()}`;
  const options = { account, tier: 'free', scopes: ['ingest', 'read'], networks: ['::1/128'] } as const;
  const { keyId } = await createKey(store.use(createKeyTable), options, clock.nowMs);
  const successor = await rotateKey(store.use(createKeyTable), keyId, false, clock.nowMs);
  const row = (await store.use(createKeyTable).list(account)).find((it) => it.keyId === successor.keyId);
  expect(row).toMatchObject({ scopes: ['ingest', 'read'], networks: ['::1/128'] });
});
