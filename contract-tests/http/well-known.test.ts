import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

const issuer = 'https://id.example.com/realms/a';

const read = (url: string, path: string, init: RequestInit = {}) =>
  fetch(url + path, { redirect: 'manual', headers: { 'X-Forwarded-Host': 'evil.example' }, ...init });

test('the metadata of the protected resource has the configured URL, whatever the headers', async () => {
  const env = { OAUTH_ISSUER: issuer, OAUTH_ACCOUNT_CLAIM: 'tenant', OAUTH_SUBJECT_CLAIM: 'sub' };
  const { url } = await startTestService({ env: { ...env, PUBLIC_URL: 'https://state.example.com' } });
  const root = '/.well-known/oauth-protected-resource';
  for (const [place, path = 'mcp'] of [[root], [`${root}/mcp`], [`${root}/a2a`, 'a2a']] as const) {
    const response = await read(url, place);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(await response.json()).toEqual({
      resource: `https://state.example.com/${path}`,
      authorization_servers: [issuer],
      scopes_supported: ['feedback', 'ingest', 'read'],
      bearer_methods_supported: ['header'],
      resource_name: 'Realtime State Service',
      resource_documentation: 'https://state.example.com/docs/oauth/',
    });
  }
});

test('machines find the API, its documentation and the security contact without a key', async () => {
  const env = { SECURITY_CONTACT: 'mailto:security@example.com', PUBLIC_URL: 'https://state.example.com' };
  const { url, clock } = await startTestService({ env });
  const text = await (await read(url, '/.well-known/security.txt')).text();
  const [, expires = ''] = /^Expires: (.*)$/m.exec(text) ?? [];
  expect(text).toBe(
    `Contact: mailto:security@example.com\nExpires: ${expires}\nCanonical: https://state.example.com/.well-known/security.txt\n`,
  );
  const days = (Date.parse(expires) - clock.nowMs) / 86_400_000;
  expect([days > 100, days < 365]).toEqual([true, true]);
  const { status, headers } = await read(url, '/llms.txt');
  expect([status, headers.get('location')]).toEqual([302, 'docs/llms.txt']);
});

test('every link of the API catalog exists', async ({ service: { url } }) => {
  const response = await read(url, '/.well-known/api-catalog');
  expect(response.headers.get('content-type')).toContain('application/linkset+json');
  const { linkset } = (await response.json()) as { linkset: Array<Record<string, Array<{ href: string }>>> };
  const links = linkset.flatMap(({ anchor: _, ...relations }) => Object.values(relations).flat());
  for (const { href } of links) expect([href, (await read(url, href)).status]).toEqual([href, 200]);
  const head = await read(url, '/.well-known/api-catalog', { method: 'HEAD' });
  expect(head.headers.get('link')).toBe('</.well-known/api-catalog>; rel="api-catalog"');
});

test('the index for language models, the API catalog and the card of the agent name each other', async () => {
  const { url } = await startTestService({ env: { PUBLIC_URL: 'https://state.example.com' } });
  const paths = ['/docs/llms.txt', '/.well-known/api-catalog', '/.well-known/agent-card.json'];
  const texts = await Promise.all(paths.map(async (path) => (await read(url, path)).text()));
  for (const [index, text] of texts.entries())
    for (const other of paths.toSpliced(index, 1))
      expect([paths[index], text]).toEqual([paths[index], expect.stringContaining(other.replace('/docs', ''))]);
});

test('what is not configured does not exist, and nothing can be written', async ({ service: { url } }) => {
  for (const path of ['/.well-known/security.txt', '/.well-known/oauth-protected-resource', '/.well-known/__proto__'])
    expect([path, (await read(url, path)).status]).toEqual([path, 404]);
  const { status, headers } = await read(url, '/.well-known/api-catalog', { method: 'POST' });
  expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});
