import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { formatCommandLine } from '../contract/command-line.js';
import type { Identify } from '../contract/grant.js';
import type { OAuthAccess } from '../http/oauth.js';
import { createToNamespace } from '../keys/digest-id.js';
import { createIssuerKeys } from '../keys/issuer-keys.js';
import { createIdentifyOAuth, createComputePersonId, type IdentifyOAuthParts } from '../keys/oauth.js';
import { runStartStep } from '../observe/start.js';

interface OAuthParts extends Pick<IdentifyOAuthParts, 'findAccount'> {
  readonly secretsKeys: readonly string[];
  readonly now: () => number;
  readonly log: Logger;
}

/** Opens the acceptance of access tokens. Rejects if OAUTH_ACCOUNT does not exist, because every token would be refused. */
export async function createOAuth(
  settings: NonNullable<Config['oauth']>,
  { findAccount, secretsKeys, now, log }: OAuthParts,
): Promise<OAuthAccess & { readonly identify: Identify }> {
  const { issuer, account, resource, scopePrefix } = settings;
  await runStartStep('OAUTH_ACCOUNT', async () => {
    if (account === undefined || (await findAccount(account))) return;
    const create = formatCommandLine('keys', `create --account ${account}`);
    throw new Error(`there is no account "${account}": create it with \`${create}\``);
  });
  const identify = createIdentifyOAuth({
    settings,
    findAccount,
    withKeys: createIssuerKeys({
      ...{ issuer, now },
      onFailure: (err) => log.warn({ err, issuer }, 'keys of the authorization server not read: see `doctor`'),
    }),
    toPersonId: createComputePersonId(secretsKeys, issuer),
    toNamespace: createToNamespace(secretsKeys),
    onClient: (key_id, client_id) => log.info({ key_id, client_id, issuer }, 'OAuth client'),
    now,
  });
  return { resource, scopePrefix, identify };
}
