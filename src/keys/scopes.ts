import { scopes } from '../../generated/spec.js';
import type { Scope } from '../contract/contract.js';

export const allScopes = Object.keys(scopes) as readonly Scope[];

/** Returns the scopes in the order of the contract. Throws an Error that lists the valid names. */
export function parseScopes(names: readonly string[]): Scope[] {
  const unknown = names.find((name) => !(allScopes as readonly string[]).includes(name));
  if (unknown !== undefined || names.length === 0)
    throw new Error(`"${unknown ?? ''}" is not a scope: use one or more of ${allScopes.join(',')}.`);
  return allScopes.filter((scope) => names.includes(scope));
}
