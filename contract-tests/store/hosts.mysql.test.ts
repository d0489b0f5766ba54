import type { Knex } from 'knex';
import { readConfig } from '../../src/config/config.js';
import { openDatabase } from '../../src/store/database.js';
import { migrate } from '../../src/store/migrate.js';
import type { HostEvent } from '../../src/store/mysql-hosts.js';
import { isTransient, retry, untilAvailable } from '../../src/store/retry.js';
import { runStatements } from '../../src/store/rows.js';
import type { ServerFacts } from '../../src/store/server-facts.js';
import { createTransact } from '../../src/store/store.js';
import { createWebhookTable } from '../../src/store/webhooks.js';
import { runMain } from '../../testkit/process.js';
import { type Proxy, startProxy } from '../../testkit/proxy.js';
import { temporaryDatabase } from '../../testkit/temporary-database.js';
import { expect, onTestFinished, test } from '../../testkit/test.js';
import { storedWebhook } from '../../testkit/webhooks.js';

/** Opens one database through two proxies, like two hosts of a cluster. */
async function openThroughTwo(user = 'root') {
  const database = await temporaryDatabase();
  const { hostname, port, pathname } = new URL(database.url);
  const start = () => startProxy(hostname, Number(port || 3306));
  const proxies = [await start(), await start()] as [Proxy, Proxy];
  const [first, second] = proxies.map((proxy) => `127.0.0.1:${proxy.port}`) as [string, string];
  const url = `mysql://${user}@${first},${second}${pathname}`;
  const events: HostEvent[] = [];
  const knex = openDatabase(readConfig({ DATABASE_URL: url }).database, 'serving', (event) => events.push(event));
  onTestFinished(() => knex.destroy());
  const query = () => retry(async () => knex.raw('select 1'));
  return { knex, query, events, first, second, proxies };
}

test('when a host dies, the next host is used, also by connections that the pool holds', async () => {
  const { query, events, first, second, proxies } = await openThroughTwo();
  await Promise.all([query(), query(), query()]);
  proxies[0].cut();
  await Promise.all([query(), query(), query()]);
  expect(events).toEqual([
    { kind: 'selected', host: first, previous: undefined, skipped: [] },
    { kind: 'changed', host: second, previous: first, skipped: [expect.stringContaining(`${first}: `)] },
  ]);
});

test('a transaction that loses its host runs again on the next host', async () => {
  const { knex, events, second, proxies } = await openThroughTwo();
  let attempts = 0;
  await retry(() =>
    knex.transaction(async (transaction) => {
      attempts += 1;
      await transaction.raw('select 1');
      if (attempts === 1) proxies[0].cut();
      await transaction.raw('select 1');
    }),
  );
  expect(attempts).toBeGreaterThan(1);
  expect(events.at(-1)).toMatchObject({ kind: 'changed', host: second });
});

test('a host that does not respond is skipped', async () => {
  const { query, events, second, proxies } = await openThroughTwo();
  proxies[0].hang();
  await query();
  expect(events).toMatchObject([
    { kind: 'selected', host: second, skipped: [expect.stringMatching(/no response|ETIMEDOUT/)] },
  ]);
});

test('without a usable host, the error is retryable and names the hosts without the password', async () => {
  const { knex, events, first, second } = await openThroughTwo('nobody:the-password');
  const error: unknown = await knex.raw('select 1').catch((reason: unknown) => reason);
  expect(isTransient(error)).toBe(true);
  expect(error).toMatchObject({ message: expect.stringMatching(/no database host is usable: .*Access denied/) });
  for (const text of [String(error), JSON.stringify(events)]) {
    expect(text).toContain(first);
    expect(text).toContain(second);
    expect(text).not.toContain('the-password');
  }
});

test('a start waits for a usable host', async () => {
  const { knex, events, proxies } = await openThroughTwo();
  for (const proxy of proxies) proxy.cut();
  const migrated = untilAvailable(() => migrate(knex));
  await expect.poll(() => events).toMatchObject([{ kind: 'none usable' }]);
  proxies[1].restore();
  await migrated;
});

test('the locks of webhooks are written on a Galera node, so that two nodes cannot both commit them', async () => {
  const { knex } = await openThroughTwo();
  await migrate(knex);
  const transact = createTransact(knex);
  await transact((scopeOf) => createWebhookTable(scopeOf('a')).insert(storedWebhook('w')));
  const lockTwice = () =>
    transact(async (scopeOf) => {
      expect((await createWebhookTable(scopeOf('a')).lock(['w'])).size).toBe(1);
      expect((await createWebhookTable(scopeOf('a')).lock(['w'])).size).toBe(1);
    });
  const locks = async () => (await knex('webhooks').where({ account_id: 'a' }).first('locks'))?.locks;
  await lockTwice();
  expect(await locks()).toBe(0);
  pretendGalera(knex);
  await lockTwice();
  expect(await locks()).toBe(2);
});

test('a Galera node gets the statements of a transaction one by one, other servers get them in one packet', async () => {
  const { knex } = await openThroughTwo();
  const sent: string[] = [];
  knex.on('query', ({ sql }: { sql: string }) => sent.push(sql));
  const run = () =>
    knex.transaction((transaction) =>
      runStatements({ knex: transaction }, [
        { sql: 'do ?', bindings: [1] },
        { sql: 'do ?', bindings: [2] },
      ]),
    );
  await run();
  pretendGalera(knex);
  await run();
  expect(sent.filter((sql) => sql.startsWith('do'))).toEqual(['do ?; do ?', 'do ?', 'do ?']);
});

/** Sets what the existing connection of the pool found out about its server. */
function pretendGalera(knex: Knex): void {
  (knex.userParams as { server: ServerFacts }).server.isGalera = true;
}

test('doctor checks the clock of each host of a database', async ({ database }) => {
  const { hostname, port, pathname, username } = new URL(database.url);
  const addresses = [hostname, 'localhost'].map((host) => `${host}:${port || 3306}`);
  const url = `mysql://${username}@${addresses.join(',')}${pathname}`;
  const { stdout } = await runMain(['doctor'], { DATABASE_URL: url });
  expect(stdout.match(/clock: agrees with .*/g)).toEqual(
    addresses.map((address) => `clock: agrees with the database host ${address}`),
  );
});
