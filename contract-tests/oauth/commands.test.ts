import { readConfig } from '../../src/config/config.js';
import { requireSecretsKeys } from '../../src/config/secrets-key.js';
import { publicUrl, startAuthorizationServer, startOAuthService } from '../../testkit/authorization-server.js';
import { runHere } from '../../testkit/command-line.js';
import { settingsFor } from '../../testkit/databases.js';
import { startMain } from '../../testkit/process.js';
import { migratedDatabase } from '../../testkit/temporary-database.js';
import { expect, test } from '../../testkit/test.js';
import { bearer } from '../../testkit/tokens.js';

test('`keys person-id` prints the id under which a token sends, and needs the authorization server', async () => {
  const service = await startOAuthService();
  const DATABASE_URL = service.database.url;
  const { code, stdout } = await runHere(['keys', 'person-id', 'anna'], { DATABASE_URL, ...service.env });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^person_[0-9a-f]{32}\n$/)]);
  const [own] = requireSecretsKeys(readConfig(settingsFor(DATABASE_URL)));
  const replacing = { DATABASE_URL, ...service.env, SECRETS_KEY: `${'n'.repeat(32)},${own}` };
  expect((await runHere(['keys', 'person-id', 'anna'], replacing)).stdout).toBe(stdout);
  const reading = { session_id: 'chat', timestamp: service.clock.at(), heart_rate: 90 };
  await service.post('/v1/ingest', reading, bearer(await service.sign('anna')));
  expect((await service.request(`/v1/state?subject_id=${stdout.trim()}`)).status).toBe(200);
  expect((await runHere(['keys', 'person-id', 'anna'], { DATABASE_URL })).stderr).toContain('set OAUTH_ISSUER');
});

test('`doctor` names an authorization server that does not answer, and the remedy', async () => {
  const { server, env, database } = await startOAuthService();
  const check = async () => (await runHere(['doctor'], { DATABASE_URL: database.url, ...env })).stdout;
  expect(await check()).not.toContain('OAUTH_ISSUER');
  server.respond((response) => response.writeHead(500).end());
  expect(await check()).toContain(
    'problem  environment: the keys of OAUTH_ISSUER cannot be read\n' +
      `         remedy: correct OAUTH_ISSUER, or start the authorization server (${server.issuer}/keys: status 500`,
  );
});

test('the built program accepts the tokens of a fixed account', async () => {
  const server = await startAuthorizationServer();
  const { env } = await migratedDatabase();
  await runHere(['keys', 'create', '--account', 'acme'], env);
  const settings = { OAUTH_ISSUER: server.issuer, OAUTH_ACCOUNT: 'acme', OAUTH_SUBJECT_CLAIM: 'sub' };
  const { url } = await startMain({ ...env, ...settings, PUBLIC_URL: publicUrl });
  const headers = { Authorization: `Bearer ${await server.sign({ sub: 'anna' }, Date.now())}` };
  expect((await fetch(`${url}/v1/sessions`, { headers })).status).toBe(200);
});
