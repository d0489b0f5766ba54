import { createServer, type ServerResponse } from 'node:http';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from 'jose';
import { createKeyTable } from '../src/store/keys.js';
import { listen } from './listen.js';
import { startTestService, type TestService, type TestServiceOptions } from './service.js';

export const publicUrl = 'https://state.example.com';
const algorithm = 'ES256';

interface SigningKey {
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

/** Starts an authorization server that only publishes its keys and signs whatever the test wants. Ends with the test. */
export async function startAuthorizationServer() {
  let key = await createSigningKey('first');
  let answer: ((response: ServerResponse) => void) | undefined;
  let reads = 0;
  const server = createServer((request, response) => {
    if (request.url === '/.well-known/openid-configuration')
      return void response.end(JSON.stringify({ issuer, jwks_uri: `${issuer}/keys` }));
    reads += 1;
    if (answer) answer(response);
    else response.end(JSON.stringify({ keys: [key.jwk] }));
  });
  const issuer = await listen(server);
  return {
    issuer,
    /** The present signing key. */
    key: () => key,
    /** How often the keys were read. */
    reads: () => reads,
    /** Replaces the response with the keys. Undefined restores it. */
    respond: (replacement: typeof answer) => void (answer = replacement),
    /** Signs a token for `publicUrl`, valid for an hour from a time in epoch ms. */
    async sign(person: object, nowMs: number, { claims = {}, header = {}, key: other = key }: Forged = {}) {
      const iat = Math.floor(nowMs / 1000);
      const usual = { iss: issuer, aud: `${publicUrl}/mcp`, client_id: 'agent', iat, exp: iat + 3600 };
      const payload = { ...usual, scope: 'ingest read feedback consent', ...person, ...claims };
      const protectedHeader = { alg: algorithm, typ: 'at+jwt', kid: key.jwk.kid, ...header };
      return new SignJWT(payload).setProtectedHeader(protectedHeader as JWTHeaderParameters).sign(other.privateKey);
    },
    /** Replaces the signing key. */
    async rotate(kid: string): Promise<void> {
      key = await createSigningKey(kid);
    },
  };
}

export type AuthorizationServer = Awaited<ReturnType<typeof startAuthorizationServer>>;

export async function createSigningKey(kid: string): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: 'sig' } };
}

/** Claims and header parameters that replace those of a valid token. Undefined removes one. */
export interface Forged {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly key?: SigningKey | { readonly privateKey: CryptoKey | Uint8Array };
}

/** A service that accepts the tokens of an authorization server. */
export interface OAuthService extends TestService {
  readonly server: AuthorizationServer;
  /** The settings of OAuth. */
  readonly env: Readonly<Record<string, string>>;
  /** The name of the account. */
  readonly account: string;
  /** Signs a token of a person (`sub`), valid for an hour by the clock of the service. */
  sign(sub: string, forged?: Forged): Promise<string>;
}

/** Starts a service with its own authorization server. Its account is in the claim `account`. */
export async function startOAuthService(options: TestServiceOptions = {}): Promise<OAuthService> {
  const server = await startAuthorizationServer();
  const env = {
    OAUTH_ISSUER: server.issuer,
    PUBLIC_URL: publicUrl,
    OAUTH_ACCOUNT_CLAIM: 'account',
    OAUTH_SUBJECT_CLAIM: 'sub',
    ...options.env,
  };
  const service = await startTestService({ ...options, env });
  const accounts = await service.store.use(createKeyTable).listAccounts();
  const account = accounts.find(({ accountId }) => accountId === service.accountId)?.name ?? '';
  const sign = (sub: string, forged?: Forged) => server.sign({ sub, account }, service.clock.nowMs, forged);
  return { ...service, server, env, account, sign };
}
