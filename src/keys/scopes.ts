import { personLinks, scopes } from '../../generated/spec.js';
import type { LinkGrant, Scope } from '../contract/contract.js';
import type { KeyRow } from '../store/keys.js';

export const allScopes = Object.keys(scopes) as readonly Scope[];
/** The scopes of a key that was created without a list of them. */
const usualScopes = allScopes.filter((scope) => scope !== 'sources');

/** Returns the scopes in the order of the contract. Throws an Error that lists the valid names. */
export function parseScopes(names: readonly string[]): Scope[] {
  const unknown = names.find((name) => !(allScopes as readonly string[]).includes(name));
  if (unknown !== undefined || names.length === 0)
    throw new Error(`"${unknown ?? ''}" is not a scope: use one or more of ${allScopes.join(',')}.`);
  return allScopes.filter((scope) => names.includes(scope));
}

/** Returns the scopes of a key: the usual ones if it was created without a list of them. */
export function readScopes({ scopes }: Pick<KeyRow, 'scopes'>): readonly Scope[] {
  return scopes ?? usualScopes;
}

/** Returns the scopes that a key needs to give these grants, and that the page has. */
export function listScopes(grants: readonly LinkGrant[]): readonly Scope[] {
  return [...new Set(grants.flatMap((it): readonly Scope[] => personLinks.grants[it].scopes))];
}
