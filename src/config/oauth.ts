/** The settings of OAuth, which docs/oauth.md explains, and the contact for security. */
import { parseUrl } from '../../packages/settings/parse-url.js';
import {
  ConfigError,
  defineOptionalVariable,
  defineVariable,
  readSwitch,
  splitList,
} from '../../packages/settings/variables.js';

/** Claims that people can change, or that are given to another person later. */
const changeable = ['email', 'preferred_username', 'upn', 'unique_name', 'nickname', 'name'];

export const oauthVariables = {
  SECURITY_CONTACT: defineOptionalVariable(
    'Contact of /.well-known/security.txt, e.g. mailto:security@example.com',
    'none: no such file',
    readContact,
  ),
  OAUTH_ISSUER: defineOptionalVariable(
    'Authorization server whose access tokens are accepted: its URL, exactly as in `iss`. Requires PUBLIC_URL',
    'none: no OAuth',
    readIssuer,
  ),
  OAUTH_AUDIENCE: defineOptionalVariable(
    'Comma-separated values of `aud` that are accepted besides PUBLIC_URL/mcp and PUBLIC_URL/a2a',
    'none',
    splitList,
  ),
  OAUTH_SCOPE_PREFIX: defineOptionalVariable(
    'What clients must write before each scope in their requests, e.g. https://state.example.com/mcp/ with Entra ID',
    'none',
    readScopePrefix,
  ),
  OAUTH_ACCOUNT: defineOptionalVariable('Account of all OAuth tokens', 'none', readAccountName),
  OAUTH_ACCOUNT_CLAIM: defineOptionalVariable(
    'Claim with the name of the account, instead of OAUTH_ACCOUNT',
    'none',
    readClaimName,
  ),
  OAUTH_SUBJECT_CLAIM: defineOptionalVariable(
    'Claim that identifies the person, e.g. sub. A token is limited to this person',
    'none: required with OAUTH_ISSUER, unless OAUTH_WHOLE_ACCOUNT=1',
    readClaimName,
  ),
  OAUTH_WHOLE_ACCOUNT: defineVariable(
    '1: a token without OAUTH_SUBJECT_CLAIM reads and writes the data of all people of the account',
    '0',
    readSwitch,
  ),
};

type Values = { readonly [Name in keyof typeof oauthVariables]: ReturnType<(typeof oauthVariables)[Name]['read']> } & {
  readonly PUBLIC_URL: string | undefined;
};

/** Returns the settings of OAuth. Undefined without OAUTH_ISSUER. Expects values without conflicts. */
export function readOAuth(values: Values) {
  const { PUBLIC_URL: publicUrl, OAUTH_ISSUER: issuer } = values;
  if (issuer === undefined || publicUrl === undefined) return undefined;
  const resource = `${publicUrl}/mcp`;
  return {
    issuer,
    /** The identifier of the protected resource (RFC 9728). */
    resource,
    audiences: [resource, `${publicUrl}/a2a`, ...(values.OAUTH_AUDIENCE ?? [])],
    scopePrefix: values.OAUTH_SCOPE_PREFIX ?? '',
    /** The name of the account, or else the claim that contains it. */
    account: values.OAUTH_ACCOUNT,
    accountClaim: values.OAUTH_ACCOUNT_CLAIM,
    subjectClaim: values.OAUTH_SUBJECT_CLAIM,
    allowsWholeAccount: values.OAUTH_WHOLE_ACCOUNT,
  };
}

/** Returns one error per missing or contradictory setting, each with the remedy. */
export function findOAuthConflicts(values: Values): string[] {
  const { PUBLIC_URL, OAUTH_ISSUER, OAUTH_ACCOUNT, OAUTH_ACCOUNT_CLAIM, OAUTH_SUBJECT_CLAIM } = values;
  if (OAUTH_ISSUER === undefined) {
    const set = Object.entries(values).flatMap(([name, it]) => (name.startsWith('OAUTH_') && it ? [name] : []));
    return set.map((name) => `${name} has no effect without OAUTH_ISSUER: set OAUTH_ISSUER, or unset ${name}`);
  }
  const hasPerson = OAUTH_SUBJECT_CLAIM !== undefined || values.OAUTH_WHOLE_ACCOUNT;
  return [
    ...(isResourceUrl(PUBLIC_URL)
      ? []
      : [
          'OAUTH_ISSUER requires PUBLIC_URL, with https or a loopback address and without a path, because clients look for metadata at the root of the host: set it',
        ]),
    ...((OAUTH_ACCOUNT === undefined) === (OAUTH_ACCOUNT_CLAIM === undefined)
      ? ['OAUTH_ISSUER requires either OAUTH_ACCOUNT or OAUTH_ACCOUNT_CLAIM: set one of them']
      : []),
    ...(hasPerson
      ? []
      : [
          'OAUTH_ISSUER requires OAUTH_SUBJECT_CLAIM, e.g. sub: set it, or OAUTH_WHOLE_ACCOUNT=1 for tokens of all people',
        ]),
  ];
}

/** Clients look for the metadata of the resource at the root of its host. */
function isResourceUrl(text = ''): boolean {
  const url = parseUrl(text);
  return isSafeUrl(url) && url.origin === text;
}

function readIssuer(text: string): string {
  const url = parseUrl(text);
  if (!isSafeUrl(url) || /[?#\s]/.test(text) || url.username !== '' || url.password !== '')
    throw new ConfigError(
      'must be an https URL without query, fragment and password, or an http URL with a loopback address',
    );
  return text;
}

function isSafeUrl(url: URL | undefined): url is URL {
  if (url?.protocol === 'https:') return url.hostname !== '';
  return url?.protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
}

function readAccountName(text: string): string {
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(text))
    throw new ConfigError(`must be the name of an account: 1 to 64 letters, digits, . _ -, not "${text}"`);
  return text;
}

/** Scopes have no spaces and quotes (RFC 6749). */
function readScopePrefix(text: string): string {
  if (!/^[!#-[\]-~]{1,256}$/.test(text)) throw new ConfigError(`must not have spaces and quotes, as in "${text}"`);
  return text;
}

function readClaimName(text: string): string {
  if (changeable.includes(text))
    throw new ConfigError(`must not be "${text}", which people can change or inherit: use a claim like sub`);
  if (!/^[\w.:/-]{1,128}$/.test(text)) throw new ConfigError(`must be the name of one claim, not "${text}"`);
  return text;
}

function readContact(text: string): string {
  if (!/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+|tel:\+?[\d-]+)$/.test(text))
    throw new ConfigError(`must be a mailto:, https: or tel: URI, not "${text}"`);
  return text;
}
