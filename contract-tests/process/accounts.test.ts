import { createAccount } from '../../packages/recordings/account.js';
import { expect, test } from 'vitest';
import { sources as settings } from '../../generated/spec.js';
import type { ReadPostedBody } from '../../src/readings/posted-body.js';
import { runHere } from '../../testkit/command-line.js';
import { settingsFor } from '../../testkit/databases.js';
import { connectPhone } from '../../testkit/phone.js';
import { runMain } from '../../testkit/process.js';
import { startTestService } from '../../testkit/service.js';
import { migratedDatabase, temporaryDatabase } from '../../testkit/temporary-database.js';

async function commandLine() {
  const { env } = await migratedDatabase();
  const run = (...args: string[]) => runHere(args, env);
  await run('keys', 'create', '--account', 'acme', '--tier', 'solo');
  return { env, run };
}

test('accounts show lists all accounts with their settings, and set changes one of them', async () => {
  const { env, run } = await commandLine();
  await run('keys', 'create', '--account', 'other', '--tier', 'free');
  expect(await run('accounts', 'set', 'acme', 'derive-sentiment', 'on')).toMatchObject({ code: 0, stdout: '' });
  const { stdout } = await runMain(['accounts', 'show'], env);
  expect(stdout).toMatch(
    /^NAME +TIER +CREATED +DERIVE-SENTIMENT +CONSENT +BIOMETRIC-PURPOSE +SHARE-SIGNALS +KEEP-READINGS\nacme +solo +\S+ +on +off +none +on +default\nother +free +\S+ +off +off +none +on +default\n$/,
  );
  expect((await run('accounts', 'show', 'other')).stdout).not.toContain('acme');
  const one = JSON.parse((await run('accounts', 'show', 'acme', '--json')).stdout);
  expect(one).toMatchObject({
    ...{ name: 'acme', tier: 'solo', created_at: expect.stringMatching(/Z$/) },
    settings: { derive_sentiment: true },
  });
  const all = JSON.parse((await run('accounts', 'show', '--json')).stdout);
  expect(all).toMatchObject([one, { name: 'other', settings: { derive_sentiment: false } }]);
  await run('accounts', 'set', 'acme', 'derive-sentiment', 'off');
  expect((await run('audit', '--keys', '--account', 'acme')).stdout).toMatch(
    /set +acme .* setting=derive-sentiment from=on to=off\n.* set +acme .* from=off to=on\n/,
  );
});

test('accounts set keep-readings takes hours up to RETENTION_READINGS_MAX_HOURS, and default', async () => {
  const { env, run } = await commandLine();
  const set = async (hours: string, variables = {}) => {
    const { code, stderr } = await runHere(['accounts', 'set', 'acme', 'keep-readings', hours], {
      ...env,
      ...variables,
    });
    const { settings } = JSON.parse((await run('accounts', 'show', 'acme', '--json')).stdout);
    return [code, settings.keep_readings_hours, stderr.replace(/^.*: use /s, '').trim()];
  };
  const most = { RETENTION_READINGS_MAX_HOURS: '720', MAX_TIMESTAMP_AGE_SECONDS: '3601' };
  expect(await set('1')).toEqual([0, 1, '']);
  expect(await set('720', most)).toEqual([0, 720, '']);
  for (const [hours, variables, allowed] of [
    ['0', {}, '1 to 24'],
    ['25', {}, '1 to 24'],
    ['1.5', {}, '1 to 24'],
    ['HOURS', {}, '1 to 24'],
    ['721', most, '2 to 720'],
    ['1', most, '2 to 720'],
  ] as const)
    expect(await set(hours, variables)).toEqual([1, 720, `default or ${allowed} (RETENTION_READINGS_MAX_HOURS)`]);
  expect((await run('accounts', 'show', 'acme')).stdout).toMatch(/ 720\n$/);
  expect(await set('default')).toEqual([0, undefined, '']);
});

test.each([
  [['set', 'nobody', 'derive-sentiment', 'on'], 'there is no account "nobody"'],
  [['set', 'acme', 'derive', 'on'], 'use tier, derive-sentiment, consent'],
  [['set', 'acme', 'derive-sentiment', 'true'], 'use off or on'],
  [['set', 'acme', 'derive-sentiment', 'constructor'], 'use off or on'],
  [['set', 'acme', 'derive-sentiment'], "missing required argument 'value'"],
  [['show', 'nobody'], 'there is no account "nobody"'],
])('the accounts command with %j is rejected with the remedy', async (args, remedy) => {
  const { run } = await commandLine();
  const ended = await run('accounts', ...args);
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toContain(remedy);
});

test('accounts top shows what the requests of each account caused, the highest first', async () => {
  const readLarge: ReadPostedBody = async (_posted, _signal, addCpu) => {
    addCpu(7_000);
    return {
      facts: [],
      groups: [],
      reports: [],
      skipped: {},
      values: createAccount(),
      notes: [],
      device: undefined,
      neededHours: undefined,
    };
  };
  const service = await startTestService({ database: await temporaryDatabase(), readLarge });
  const { accountId, clock, database, read } = service;
  const phone = await connectPhone(service, 'generic');
  await phone.post('[]'.padEnd(settings.large_bytes + 1));
  for (let second = 0; second < 3; second += 1) await read({ heart_rate: 70, timestamp: clock.at(-second) });
  await service.request('/v1/export');
  await service.close();
  const env = settingsFor(database.url);
  const findTop = async (...args: string[]) =>
    JSON.parse((await runHere(['accounts', 'top', ...args, '--json'], env)).stdout);
  const first = {
    account_id: accountId,
    calls: 4,
    rows: expect.any(Number),
    bytes: expect.any(Number),
    cpu_seconds: expect.any(Number),
  };
  expect(await findTop('--hours', '48')).toMatchObject([first, { account_id: phone.accountId, calls: 2 }]);
  expect(await findTop('--by', 'rows')).toMatchObject([first, { rows: 0 }]);
  const [{ account_id, cpu_seconds, bytes }] = await findTop('--by', 'cpu');
  expect([account_id, Math.floor(cpu_seconds)]).toEqual([phone.accountId, 7]);
  expect((await findTop('--by', 'bytes'))[0]).toMatchObject({ account_id, bytes });
  expect(bytes).toBeGreaterThan(settings.large_bytes);
});

test('accounts top without a stored sum states when sums are stored', async () => {
  const { run } = await commandLine();
  expect((await run('accounts', 'top')).stdout).toContain('stores its sums once per minute');
  expect((await run('accounts', 'top', '--json')).stdout).toBe('[]\n');
});
