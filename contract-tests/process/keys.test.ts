import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allScopes } from '../../src/keys/scopes.js';
import { runHere } from '../../testkit/command-line.js';
import { createHubSecret } from '../../testkit/phone.js';
import { temporaryFolder } from '../../testkit/temporary-folder.js';
import { runMain, startMain } from '../../testkit/process.js';
import { migratedDatabase } from '../../testkit/temporary-database.js';
import { startWithKey } from './started.js';

test('the command `keys create` creates a database only if DATABASE_URL is set, and prints its path', async () => {
  const folder = await temporaryFolder();
  const keys = (env: Record<string, string>, ...args: string[]) => runMain(['keys', ...args], env, undefined, folder);
  const create = ['create', '--account', 'acme', '--tier', 'solo'];
  const refused = [keys({}, ...create), runHere(['keys', 'list'], { DATABASE_URL: `sqlite:${folder}/other.db` })];
  for (const ended of await Promise.all(refused)) {
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(/^error: there is no database at \/\S+\.db: set DATABASE_URL/);
  }
  expect(await readdir(folder)).toEqual([]);
  const created = await keys({ DATABASE_URL: 'sqlite:other.db' }, ...create);
  expect(created.stderr).toContain(`Created the database ${join(folder, 'other.db')}.`);
  expect(await readdir(folder)).toEqual(['other.db']);
});

async function commandLine() {
  const { env } = await migratedDatabase();
  const keys = (...args: string[]) => runHere(['keys', ...args], env);
  const audit = (...args: string[]) => runHere(['audit', '--keys', ...args], env);
  const setTier = (account: string, tier: string) => runHere(['accounts', 'set', account, 'tier', tier], env);
  return { env, keys, audit, setTier };
}

test('a key created on a new database is the only line on standard output and works', async () => {
  const { env } = await commandLine();
  const create = ['keys', 'create', '--account', 'acme', '--tier', 'solo', '--expires', '90d'];
  const made = await runMain(create, env);
  expect(made.code).toBe(0);
  expect(made.stdout).toMatch(/^sk_[0-9A-Za-z]{32}\n$/);
  const service = await startMain(env);
  const headers = { 'X-Service-Key': made.stdout.trim() };
  expect((await fetch(`${service.url}/v1/state?session_id=none`, { headers })).status).toBe(404);
  expect(service.stdout()).not.toContain('sk_');
  await service.stop('SIGTERM');
});

test('keys can be listed, rotated and revoked, and the list does not contain the keys themselves', async () => {
  const { keys } = await commandLine();
  const made = await keys('create', '--account', 'acme', '--tier', 'solo');
  const id = made.stderr.match(/key_\w+/g)?.find((it) => it !== 'key_id') ?? '';
  const rotated = await keys('rotate', id, '--now');
  expect(rotated.stdout).toMatch(/^sk_[0-9A-Za-z]{32}\n$/);
  const successor = rotated.stderr.match(/key_\w+/g)?.find((it) => it !== 'key_id') ?? '';
  expect((await keys('revoke', successor)).code).toBe(0);
  expect((await keys('rotate', successor)).stderr).toContain('revoked');
  const { stdout } = await keys('list', '--account', 'acme');
  expect(stdout).toMatch(new RegExp(`${id} .*acme +solo +expired`));
  expect(stdout).toMatch(new RegExp(`${successor} .*acme +solo +revoked`));
  for (const key of [made.stdout.trim(), rotated.stdout.trim()]) expect(stdout).not.toContain(key);
});

test('the list of all credentials has keys, source keys, hubs and links with their maker and end', async () => {
  const { env, keys } = await commandLine();
  const made = await keys('create', '--account', 'acme', '--expires', '30d', '--scopes', allScopes.join(','));
  const keyId = made.stderr.match(/key_\w+/g)?.find((it) => it !== 'key_id') ?? '';
  await keys('create', '--account', 'acme', '--subject', 'anna', '--source', 'generic');
  const { service } = await startWithKey({ ...env, PUBLIC_URL: 'http://127.0.0.1:9' });
  const headers = { 'X-Service-Key': made.stdout.trim(), 'Content-Type': 'application/json' };
  const hub = { source: 'terra', signing_secret: createHubSecret('terra') };
  const posts = Object.entries({ 'source-keys': hub, 'subjects/anna/links': {} });
  for (const [path, body] of posts)
    expect(
      (await fetch(`${service.url}/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).status,
    ).toBe(201);
  const { stdout, stderr } = await keys('list', '--all', '--json', '--account', 'acme');
  const rows: Array<Record<string, string | null>> = JSON.parse(stdout);
  expect(rows.map(({ kind, maker_key_id }) => [kind, maker_key_id])).toEqual([
    ['key', null],
    ['source key', null],
    ['hub', keyId],
    ['link', keyId],
  ]);
  const [key, , connection] = rows;
  expect(connection?.['expires_at']).toBe(key?.['expires_at']);
  expect(stderr).toContain('tokens are not stored');
  expect((await keys('list', '--all')).stdout).toMatch(new RegExp(`\\nhub +srk_\\w+ +acme +valid +${keyId} `));
  expect(JSON.parse((await keys('list', '--all', '--json', '--account', 'other')).stdout)).toEqual([]);
});

test('a source key of the command line writes data of its person, and wrong combinations of options are refused', async () => {
  const { env, keys, audit } = await commandLine();
  await keys('create', '--account', 'acme', '--tier', 'solo');
  const create = (...args: string[]) => keys('create', '--account', 'acme', ...args);
  const ofPerson = ['--subject', 'p-1', '--source', 'generic'];
  const refused: ReadonlyArray<readonly [args: string[], message: RegExp]> = [
    [['--subject', 'p-1'], /set --subject and --source together/],
    [['--source', 'generic'], /set --subject and --source together/],
    [[...ofPerson, '--scopes', 'read'], /a source key has no scopes, networks and tier/],
    [['--subject', 'p-1', '--source', 'fitbit'], /Allowed choices are health_auto_export/],
    [['--subject', 'p 1', '--source', 'generic'], /1 to 238 visible ASCII characters/],
    [[...ofPerson, '--time-zone', 'Vienna'], /IANA time zone/],
  ];
  for (const [args, message] of refused)
    expect(await create(...args)).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(message) });
  const other = await keys('create', '--account', 'other', ...ofPerson);
  expect(other.stderr).toContain('there is no account "other"');
  const made = await create(...ofPerson, '--time-zone', 'Europe/Vienna', '--expires', '30d');
  expect([made.stdout, made.stderr]).toEqual([
    expect.stringMatching(/^wk_[0-9A-Za-z]{32}\n$/),
    expect.stringContaining('shown only once'),
  ]);
  const { stdout } = await audit('--limit', '1');
  expect(stdout).toMatch(/ create +acme +srk_\w+ .*source=generic/);
  expect(stdout).not.toContain('p-1');
  const { service } = await startWithKey(env);
  const posted = await fetch(`${service.url}/v1/sources/generic`, {
    method: 'POST',
    headers: { 'X-Service-Key': made.stdout.trim(), 'Content-Type': 'application/json' },
    body: JSON.stringify({ heart_rate: 70 }),
  });
  expect(await posted.json()).toMatchObject({ stored: 1 });
});

test('scopes, networks and expiry of a key are listed, and the audit log lists every change', async () => {
  const { keys, audit, setTier } = await commandLine();
  const limits = ['--scopes', 'read,ingest', '--networks', '10.1.2.3/8, ::1', '--expires', '30d'];
  const made = await keys('create', '--account', 'acme', '--tier', 'solo', ...limits);
  const id = made.stderr.match(/key_\w+/g)?.find((it) => it !== 'key_id') ?? '';
  expect((await keys('list')).stdout).toMatch(new RegExp(`${id} .*valid +ingest,read +10.0.0.0/8,::1/128 `));
  await keys('create', '--account', 'other', '--tier', 'free');
  await keys('revoke', id);
  await setTier('acme', 'free');
  const { stdout } = await audit('--account', 'acme');
  expect(stdout).toMatch(
    / set +acme .* setting=tier from=solo to=free\n.* revoke +acme .*\n.* create +acme .*scopes=ingest,read/,
  );
  expect(stdout).not.toContain('other');
  expect((await audit('--limit', '1')).stdout.trim().split('\n')).toHaveLength(2);
  expect(JSON.parse((await audit('--limit', '1', '--json')).stdout)).toEqual({
    ...{ at: expect.stringMatching(/^2.*Z$/), action: 'set', account: 'acme', key_id: null, prefix: null },
    ...{ actor: expect.any(String), details: { setting: 'tier', from: 'solo', to: 'free' } },
  });
  expect(JSON.parse((await keys('list', '--account', 'acme', '--json')).stdout)).toEqual([
    {
      ...{ key_id: id, prefix: made.stdout.slice(0, 7), account: 'acme', tier: 'free', status: 'revoked' },
      ...{ scopes: ['ingest', 'read'], networks: ['10.0.0.0/8', '::1/128'] },
      ...{ created_at: expect.any(String), expires_at: expect.any(String), last_used_at: null },
    },
  ]);
  expect((await audit()).stdout).not.toContain(made.stdout.trim());
});

test('a new account without --tier gets the default tier, which the output names with its quota', async () => {
  const { keys, setTier } = await commandLine();
  const made = await keys('create', '--account', 'acme');
  expect(made.stdout).toMatch(/^sk_[0-9A-Za-z]{32}\n$/);
  expect(made.stderr).toContain(
    'new account acme of tier solo with 50,000 calls per month; to change the tier: npx state-service accounts set acme tier TIER',
  );
  expect((await keys('list')).stdout).toMatch(/acme +solo/);
  await setTier('acme', 'enterprise');
  expect((await keys('create', '--account', 'acme')).stderr).not.toContain('new account');
  expect((await keys('list')).stdout).not.toContain('solo');
});

test('without --account a key belongs to the only account, and several accounts are listed', async () => {
  const { keys } = await commandLine();
  expect(await keys('create', '--scopes', 'sources')).toEqual({
    ...{
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('there is no account yet: name the new one with --account'),
    },
  });
  await keys('create', '--account', 'acme');
  expect((await keys('create', '--scopes', 'sources')).stdout).toMatch(/^sk_/);
  expect((await keys('create', '--subject', 'p-1', '--source', 'generic')).stdout).toMatch(/^wk_/);
  expect((await keys('list')).stdout).toMatch(/acme +solo +valid +sources /);
  await keys('create', '--account', 'other');
  const refused = await keys('create', '--scopes', 'sources');
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('there are 2 accounts: set --account to one of acme, other');
});

test('the tier belongs to the account: another tier is rejected with the remedy, which changes it', async () => {
  const { keys, setTier } = await commandLine();
  await keys('create', '--account', 'acme', '--tier', 'free');
  const refused = await keys('create', '--account', 'acme', '--tier', 'solo');
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('change it with `accounts set acme tier solo`');
  expect((await setTier('acme', 'solo')).code).toBe(0);
  expect((await keys('list')).stdout).toMatch(/acme +solo/);
});

test.each([
  [['create', '--account', 'a b', '--tier', 'solo'], 'letters, digits'],
  [['create', '--account', 'acme', '--tier', 'gold'], 'free, solo, enterprise'],
  [['create', '--account', 'acme', '--tier', 'solo', '--expires', 'soon'], 'like 90d'],
  [['create', '--account', 'acme', '--tier', 'solo', '--scopes', 'read,write'], '"write" is not a scope'],
  [['create', '--account', 'acme', '--tier', 'solo', '--networks', '10.0.0.0/33'], 'like 10.0.0.0/8'],
  [['revoke', 'key_unknown'], 'keys list'],
])('the keys command with %j is rejected with the remedy', async (args, remedy) => {
  const { keys } = await commandLine();
  const ended = await keys(...args);
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toContain(remedy);
});

test.each([
  [['accounts', 'set', 'nobody', 'tier', 'solo'], 'create a key'],
  [['accounts', 'set', 'acme', 'tier', 'gold'], '"gold" is not a value of tier: use solo or free or enterprise'],
  [['accounts', 'set', 'acme', 'color', 'red'], '"color" is not a setting: use tier, derive-sentiment'],
  [['audit', '--keys', '--account', 'nobody'], 'there is no account'],
  [['audit', '--keys', '--verify'], "option '--keys' cannot be used with option '--verify'"],
])('the command %j is rejected with the remedy', async (args, remedy) => {
  const { env } = await commandLine();
  const ended = await runHere(args, env);
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toContain(remedy);
});
