import { hostname, userInfo } from 'node:os';
import type { AuditEntry } from '../store/key-audit.js';
import type { KeyRow, KeyWriter } from '../store/keys.js';
import { createKeyRecordId } from './identify.js';

type Change = Pick<AuditEntry, 'action' | 'details'> & { readonly nowMs: number } & (
    | { readonly key: KeyRow }
    | { readonly accountId: string }
  );

/** Writes the change to the audit log, in the same transaction as the change. */
export async function audit(keys: KeyWriter, change: Change): Promise<void> {
  const { action, details, nowMs } = change;
  const key = 'key' in change ? change.key : undefined;
  await keys.audit({
    accountId: 'key' in change ? change.key.accountId : change.accountId,
    entryId: createKeyRecordId('aud', 20),
    atMs: nowMs,
    action,
    keyId: key?.keyId ?? null,
    keyPrefix: key?.displayPrefix ?? null,
    actor: currentActor(),
    details,
  });
}

/** Returns the scopes, networks and expiry of a key. An absent field means unlimited. */
export function readDetails({ scopes, networks, expiresAtMs }: KeyRow): AuditEntry['details'] {
  return {
    ...(scopes && { scopes }),
    ...(networks && { networks }),
    ...(expiresAtMs !== null && { expires_at: formatTimestamp(expiresAtMs) }),
  };
}

export function formatTimestamp(ms: number): string {
  return new Date(ms).toISOString();
}

/** Returns the user who runs this process, as `user@host`. */
export function currentActor(): string {
  return `${userName()}@${hostname()}`;
}

/** Returns the user name. In containers without a user name: the numeric user id. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}
