import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { runHere } from '../../testkit/command-line.js';
import { databaseKind } from '../../testkit/databases.js';
import { runMain, startDeliver } from '../../testkit/process.js';
import { startReceiver } from '../../testkit/receiver.js';
import { migratedDatabase, temporaryDatabase } from '../../testkit/temporary-database.js';
import { startWithKey } from './started.js';

const [first, second] = ['a'.repeat(40), 'b'.repeat(40)];

/** Starts the service with a key of SECRETS_KEY and a webhook. Stops it and returns its data. */
async function used() {
  const database = await migratedDatabase();
  const env = { DATABASE_URL: database.url, WEBHOOK_ALLOW_HTTP: '1', WEBHOOK_ALLOW_LOOPBACK: '1', WORKER: '1' };
  const receiver = await startReceiver();
  const { service, post, key } = await startWithKey({ ...env, SECRETS_KEY: first });
  const { body: webhook } = await post('/webhooks/register', { url: receiver.url, events: ['state_change'] });
  await service.stop();
  return { database, env, receiver, key, webhook };
}

/** Starts the service, sends the sample event of a webhook and verifies its signature. */
async function deliverTest({ env, receiver, key, webhook }: Awaited<ReturnType<typeof used>>, SECRETS_KEY: string) {
  const { service, post } = await startWithKey({ ...env, SECRETS_KEY }, key);
  const count = receiver.received.length;
  expect((await post(`/webhooks/${webhook.id}/test`)).status).toBe(202);
  const delivery = (await receiver.until(count + 1))[count];
  const signature = createHmac('sha256', webhook.secret)
    .update(delivery?.bytes ?? '')
    .digest('hex');
  expect(delivery?.headers['x-service-signature']).toBe(`sha256=${signature}`);
  await service.stop();
}

test('serve and deliver refuse another key, doctor names the remedy, and the service works with the right key', async () => {
  const running = await used();
  const wrong = { ...running.env, SECRETS_KEY: second };
  for (const [command, run] of [['serve', runMain] as const, ['deliver', runHere] as const]) {
    const ended = await run([command], { ...wrong, PORT: '0' });
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(
      /^error: SECRETS_KEY: no configured key is the key that the database was used with: set that key.* "npx state-service keys reseal --lost-key"\n$/,
    );
  }
  const { stdout } = await runHere(['doctor'], wrong);
  expect(stdout).toMatch(/problem {2}secrets key: no configured key is .*\n +remedy: set that key/);
  expect((await runHere(['doctor'], { ...running.env, SECRETS_KEY: first })).stdout).toContain(
    'ok       secrets key: fits the database',
  );
  await deliverTest(running, first);
});

test('a replaced key is refused as soon as its successor protects the secrets', async () => {
  const running = await used();
  const start = async (SECRETS_KEY: string) => {
    const { service } = await startWithKey({ ...running.env, SECRETS_KEY }, running.key);
    await service.stop();
  };
  await start(`${first},${second}`);
  await start(first);
  await start(`${second},${first}`);
  const replaced = { ...running.env, SECRETS_KEY: first, PORT: '0', THREADS: '1' };
  expect((await runHere(['serve'], replaced)).code).toBe(1);
  // A worker that still has both keys in the earlier order can read every secret.
  const worker = await startDeliver({ ...running.env, SECRETS_KEY: `${first},${second}` });
  await worker.stop('SIGTERM');
  await deliverTest(running, second);
});

test('after the loss of the key, keys reseal --lost-key names the webhooks to rotate, and the service starts', async () => {
  const { env, key, webhook } = await used();
  const refused = await runHere(['keys', 'reseal'], { ...env, SECRETS_KEY: second });
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  const lost = await runHere(['keys', 'reseal', '--lost-key'], { ...env, SECRETS_KEY: second });
  expect(lost.code).toBe(0);
  expect(lost.stdout).toMatch(new RegExp(`The secrets of 1 webhooks are lost.*\n.* ${webhook.id}\n$`));
  const { post } = await startWithKey({ ...env, SECRETS_KEY: second }, key);
  expect((await post(`/webhooks/${webhook.id}/rotate-secret`)).status).toBe(200);
});

if (databaseKind === 'mysql') {
  test('on MySQL, serve and deliver refuse to start without SECRETS_KEY and print how to create one', async () => {
    const database = await temporaryDatabase();
    for (const command of ['serve', 'deliver']) {
      const ended = await runMain([command], { DATABASE_URL: database.url, SECRETS_KEY: '', PORT: '0' });
      expect(ended).toMatchObject({ code: 1, stdout: '' });
      expect(ended.stderr).toContain(
        'error: SECRETS_KEY: it is required with MySQL: create a key with "openssl rand -hex 32"',
      );
    }
  });
}
