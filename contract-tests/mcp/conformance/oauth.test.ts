import { createServer as createHttpServer } from 'node:http';
import { createRequire } from 'node:module';
import { connect, createServer, type Socket } from 'node:net';
import { Client, type OAuthClientProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { exportJWK, generateKeyPair } from 'jose';
import { expect, onTestFinished, test } from 'vitest';
import { createKeyTable } from '../../../src/store/keys.js';
import { listen } from '../../../testkit/listen.js';
import { startTestService } from '../../../testkit/service.js';
import { temporaryFolder } from '../../../testkit/temporary-folder.js';
import { until } from '../../../testkit/until.js';

const agentUrl = 'https://agent.example.com/client.json';
const redirectUrl = 'http://127.0.0.1:9/callback';
const metadata = {
  client_name: 'agent',
  redirect_uris: [redirectUrl],
  grant_types: ['authorization_code'],
  response_types: ['code' as const],
  token_endpoint_auth_method: 'none',
};

/** Starts an authorization server that gives JWTs for any resource, and knows clients by document and registration. */
async function startProvider(claims: () => Record<string, unknown>): Promise<string> {
  // @ts-expect-error the package has no types
  const { default: Provider } = await import('oidc-provider');
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const http = createHttpServer((request, response) => void provider.callback()(request, response));
  const issuer = await listen(http);
  const scope = 'feedback ingest read';
  const provider = new Provider(issuer, {
    scopes: ['openid', 'offline_access', ...scope.split(' ')],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig', kid: 'only' }] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    cookies: { keys: ['any'] },
    extraTokenClaims: claims,
    fetch: (url: URL | string, init: RequestInit) =>
      String(url) === agentUrl
        ? Promise.resolve(Response.json({ client_id: agentUrl, ...metadata }))
        : fetch(url, init),
    features: {
      clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_: unknown, audience: string) => ({
          ...{ scope, audience, accessTokenTTL: 600, accessTokenFormat: 'jwt', jwt: { sign: { alg: 'ES256' } } },
        }),
      },
    },
  });
  return issuer;
}

/** Starts a service whose public URL is that of a proxy, as in a deployment. Returns this URL. */
async function startServed() {
  let port = 0;
  const proxy = createServer((client) => {
    const target = connect(port, '127.0.0.1');
    const end = (socket: Socket) => () => void socket.destroy();
    client.on('error', end(target)).on('close', end(target)).pipe(target).on('error', end(client)).pipe(client);
  });
  const publicUrl = await listen(proxy);
  let account = '';
  const issuer = await startProvider(() => ({ account }));
  const service = await startTestService({
    env: { PUBLIC_URL: publicUrl, OAUTH_ISSUER: issuer, OAUTH_ACCOUNT_CLAIM: 'account', OAUTH_SUBJECT_CLAIM: 'sub' },
  });
  port = Number(new URL(service.url).port);
  const accounts = await service.store.use(createKeyTable).listAccounts();
  account = accounts.find(({ accountId }) => accountId === service.accountId)?.name ?? '';
  return { service, mcpUrl: new URL('/mcp', publicUrl) };
}

/** Signs in as a person and agrees to everything, as a browser would. Resolves with the URL that leads back to the agent. */
async function signIn(start: URL, login: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let [url, form] = [start, undefined as URLSearchParams | undefined];
  for (let steps = 0; steps < 20; steps += 1) {
    const headers = { Cookie: [...cookies].map((it) => it.join('=')).join('; ') };
    const body = form && { method: 'POST', body: form };
    const response = await fetch(url, { redirect: 'manual', headers, ...body });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const page = await response.text();
    const [, prompt] = /name="prompt" value="(\w+)"/.exec(page) ?? [];
    const next = response.headers.get('location') ?? /action="([^"]+)"/.exec(page)?.[1];
    if (next === null || next === undefined)
      throw new Error(`${response.status} at ${url.href}: ${page.slice(0, 500)}`);
    url = new URL(next, url);
    form = prompt === undefined ? undefined : new URLSearchParams({ prompt, login, password: 'any' });
    if (url.searchParams.has('code')) return url;
  }
  throw new Error('no end of the sign-in');
}

/** An agent that keeps its credentials in memory. */
function createAgent(): OAuthClientProvider & { visited?: URL } {
  const kept: Record<string, never> = {};
  const keep = (name: string) => (value: unknown) => void (kept[name] = value as never);
  return {
    redirectUrl,
    clientMetadata: metadata,
    clientMetadataUrl: agentUrl,
    clientInformation: () => kept['client'],
    saveClientInformation: keep('client'),
    tokens: () => kept['tokens'],
    saveTokens: keep('tokens'),
    saveCodeVerifier: keep('verifier'),
    codeVerifier: () => kept['verifier'] ?? '',
    redirectToAuthorization(url) {
      this.visited = url;
    },
  } as OAuthClientProvider & { visited?: URL };
}

async function useTools(client: Client) {
  const call = async (name: string, args: Record<string, unknown>) =>
    (await client.callTool({ name, arguments: args })).structuredContent;
  await call('ingest', { session_id: 'chat', heart_rate: 95, tone: 'tense' });
  return [await call('get_human_state', {}), await call('list_sessions', {})];
}

const ownChat = [{ session_id: 'chat' }, { sessions: [{ session_id: 'chat' }], next_cursor: null }];

test('the official client needs only the URL: it finds the server, names itself by a document, and sees its person', async () => {
  const { service, mcpUrl } = await startServed();
  await service.read({ session_id: 'of-others', subject_id: 'bert', heart_rate: 60 });
  const agent = createAgent();
  const open = () => new StreamableHTTPClientTransport(mcpUrl, { authProvider: agent });
  const first = open();
  await expect(new Client({ name: 'test', version: '1' }).connect(first)).rejects.toThrow(/unauthorized/i);
  expect(agent.visited?.searchParams.get('client_id')).toBe(agentUrl);
  expect(agent.visited?.searchParams.get('resource')).toBe(mcpUrl.href);
  const back = await signIn(agent.visited as URL, 'anna');
  await first.finishAuth(back.searchParams);
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(open());
  onTestFinished(() => client.close());
  expect(await useTools(client)).toMatchObject(ownChat);
});

test('mcp-remote connects a program with the URL alone', async () => {
  const { mcpUrl } = await startServed();
  const folder = await temporaryFolder();
  const program = createRequire(import.meta.url).resolve('mcp-remote/dist/proxy.js');
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, mcpUrl.href, '--transport', 'http-only'],
    // No browser is found.
    env: { PATH: folder, HOME: folder, MCP_REMOTE_CONFIG_DIR: folder },
    stderr: 'pipe',
  });
  let log = '';
  transport.stderr?.on('data', (text) => (log += String(text)));
  const client = new Client({ name: 'test', version: '1' });
  onTestFinished(() => client.close());
  const connecting = client.connect(transport, { timeout: 60_000 });
  const findUrl = () => /visiting:\s+(http\S+)/.exec(log)?.[1];
  await until('the URL of the sign-in is printed', async () => findUrl() !== undefined);
  await fetch(await signIn(new URL(findUrl() ?? ''), 'bert'));
  await connecting;
  expect(await useTools(client)).toMatchObject(ownChat);
});
