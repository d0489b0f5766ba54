import { createHmac } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { deriveFormerKey } from '../../src/config/secrets-key.js';
import { resealWebhooks } from '../../src/delivery/reseal.js';
import { createSecretBox } from '../../src/delivery/secret-box.js';
import { openDatabase } from '../../src/store/database.js';
import { readConfig } from '../../src/config/config.js';
import { openStore } from '../../src/store/store.js';
import { createTestDatabase, databaseKind, type TestDatabase } from '../support/databases.js';
import { runMain, startDeliver } from '../support/process.js';
import { startReceiver } from '../support/receiver.js';
import { startWithKey } from './started.js';

const [first, second] = ['a'.repeat(40), 'b'.repeat(40)];

/** Starts the service with a key of SECRETS_KEY and a webhook. Stops it and returns its data. */
async function used() {
  const database = await createTestDatabase();
  onTestFinished(database.drop);
  const env = { DATABASE_URL: database.url, WEBHOOK_ALLOW_HTTP: '1', WEBHOOK_ALLOW_LOOPBACK: '1' };
  const receiver = await startReceiver();
  const { service, send, key } = await startWithKey({ ...env, SECRETS_KEY: first });
  const { body: webhook } = await send('/webhooks/register', { url: receiver.url, events: ['state_change'] });
  await service.stop('SIGTERM');
  return { database, env, receiver, key, webhook };
}

/** Starts the service, sends the sample event of a webhook and verifies its signature. */
async function deliverTest({ env, receiver, key, webhook }: Awaited<ReturnType<typeof used>>, SECRETS_KEY: string) {
  const { service, send } = await startWithKey({ ...env, SECRETS_KEY }, key);
  const count = receiver.received.length;
  expect((await send(`/webhooks/${webhook.id}/test`, {})).status).toBe(202);
  const delivery = (await receiver.until(count + 1))[count];
  const signature = createHmac('sha256', webhook.secret)
    .update(delivery?.bytes ?? '')
    .digest('hex');
  expect(delivery?.headers['x-service-signature']).toBe(`sha256=${signature}`);
  await service.stop('SIGTERM');
}

test('serve and deliver refuse another key, doctor names the remedy, and the service works with the right key', async () => {
  const running = await used();
  const wrong = { ...running.env, SECRETS_KEY: second };
  for (const command of ['serve', 'deliver']) {
    const ended = await runMain([command], { ...wrong, PORT: '0' });
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(
      /^error: SECRETS_KEY: no configured key is the key that the database was used with: set that key.* "npm run reseal -- --lost-key"\n$/,
    );
  }
  const { stdout } = await runMain(['doctor'], wrong);
  expect(stdout).toMatch(/problem {2}secrets key: no configured key is .*\n +remedy: set that key/);
  expect((await runMain(['doctor'], { ...running.env, SECRETS_KEY: first })).stdout).toContain(
    'ok       secrets key: fits the database',
  );
  await deliverTest(running, first);
});

test('a replaced key is refused as soon as its successor protects the secrets', async () => {
  const running = await used();
  const start = async (SECRETS_KEY: string) => {
    const { service } = await startWithKey({ ...running.env, SECRETS_KEY }, running.key);
    await service.stop('SIGTERM');
  };
  await start(`${first},${second}`);
  await start(first);
  await start(`${second},${first}`);
  expect((await runMain(['serve'], { ...running.env, SECRETS_KEY: first, PORT: '0' })).code).toBe(1);
  // A worker that still has both keys in the earlier order can read every secret.
  const worker = await startDeliver({ ...running.env, SECRETS_KEY: `${first},${second}` });
  await worker.stop('SIGTERM');
  await deliverTest(running, second);
});

test('after the loss of the key, reseal --lost-key names the webhooks to rotate, and the service starts', async () => {
  const { env, key, webhook } = await used();
  const refused = await runMain(['reseal'], { ...env, SECRETS_KEY: second });
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  const lost = await runMain(['reseal', '--lost-key'], { ...env, SECRETS_KEY: second });
  expect(lost.code).toBe(0);
  expect(lost.stdout).toMatch(new RegExp(`The secrets of 1 webhooks are lost.*\n.* ${webhook.id}\n$`));
  const { send } = await startWithKey({ ...env, SECRETS_KEY: second }, key);
  expect((await send(`/webhooks/${webhook.id}/rotate-secret`, {})).status).toBe(200);
});

/** Changes the database as if an earlier version had used it with this key. */
async function asBefore({ url }: TestDatabase, key: string): Promise<void> {
  const { database } = readConfig({ DATABASE_URL: url });
  const [store, knex] = [openStore(database), openDatabase(database)];
  const { unreadable } = await resealWebhooks(store, createSecretBox([key, first]));
  expect(unreadable).toEqual([]);
  await knex('secrets_keys').delete();
  await Promise.all([store.close(), knex.destroy()]);
}

test('a database of an earlier version accepts only a key that reads its webhook secrets', async () => {
  const running = await used();
  await asBefore(running.database, first);
  const ended = await runMain(['serve'], { ...running.env, SECRETS_KEY: second, PORT: '0' });
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toContain('no configured key can read the webhook secrets: set the key');
  await deliverTest(running, first);
});

if (databaseKind === 'mysql') {
  test('on MySQL, serve and deliver refuse to start without SECRETS_KEY and print how to create one', async () => {
    const database = await createTestDatabase();
    onTestFinished(database.drop);
    for (const command of ['serve', 'deliver']) {
      const ended = await runMain([command], { DATABASE_URL: database.url, SECRETS_KEY: '', PORT: '0' });
      expect(ended).toMatchObject({ code: 1, stdout: '' });
      expect(ended.stderr).toContain(
        'error: SECRETS_KEY: it is required with MySQL: create a key with "openssl rand -hex 32"',
      );
    }
  });

  test('reseal moves webhook secrets from the key derived from DATABASE_URL, which SECRETS_KEY may not hold', async () => {
    const running = await used();
    const { env, database } = running;
    const derived = deriveFormerKey(database.url);
    await asBefore(database, derived);
    const held = await runMain(['serve'], { ...env, SECRETS_KEY: `${second},${derived}`, PORT: '0' });
    expect(held.stderr).toContain('it holds the key that earlier versions derived from DATABASE_URL: remove it');
    const before = await runMain(['serve'], { ...env, SECRETS_KEY: second, PORT: '0' });
    expect(before.stderr).toContain('If MySQL was used without SECRETS_KEY, run "npm run reseal"');
    const resealed = await runMain(['reseal'], { ...env, SECRETS_KEY: second });
    expect(resealed).toMatchObject({ code: 0, stdout: expect.stringContaining('the secrets of 1 webhooks') });
    await deliverTest(running, second);
  });
}
