import type { Command } from 'commander';
import type { Config } from '../config/config.js';
import { requireSecretsKeys } from '../config/secrets-key.js';

/** Adds `keys person-id`. Standard output contains only the id, so that it can be piped. */
export function addPersonId(keys: Command, configure: () => Config): Command {
  keys
    .command('person-id')
    .description('print the subject_id of the person in an OAuth token, for other senders of this person')
    .argument('<claim>', 'value of the claim that OAUTH_SUBJECT_CLAIM names')
    .action(async (claim: string) => {
      const config = configure();
      if (!config.oauth) throw new Error('the id depends on the authorization server: set OAUTH_ISSUER');
      const { createComputePersonId } = await import('../keys/oauth.js');
      console.log(createComputePersonId(requireSecretsKeys(config), config.oauth.issuer)(claim));
    });
  return keys;
}

/** Returns a warning if the authorization server does not answer as configured. */
export async function findIssuerWarnings({ oauth }: Config): Promise<string[]> {
  if (!oauth) return [];
  const { readIssuerKeys } = await import('../keys/issuer-keys.js');
  const reason = await readIssuerKeys(oauth.issuer).then(
    () => undefined,
    (error: Error) => error.message,
  );
  return reason === undefined
    ? []
    : [`the keys of OAUTH_ISSUER cannot be read: correct OAUTH_ISSUER, or start the authorization server (${reason})`];
}
