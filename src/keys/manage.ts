import { keys as settings } from '../../generated/spec.js';
import type { Scope, Tier } from '../contract/contract.js';
import type { AccountRow, KeyRow, KeyTable, KeyWriter, ListedKey } from '../store/keys.js';
import { audit, readDetails, formatTimestamp } from './audit.js';
import { createKeyRecordId, describeStatus, generateKey, hashKey } from './identify.js';

const rotationMs = settings.rotation_hours * 60 * 60 * 1000;

/** Enough characters of a key to distinguish keys in a list, too few to guess the rest. */
const displayCharacters = 7;

/** An invalid request of an administrator. The message names the remedy. */
export class KeyError extends Error {}

/** Restrictions of a key. Absent fields mean every scope, every network and no expiry. */
export interface KeyOptions {
  readonly scopes?: readonly Scope[] | undefined;
  /** CIDRs in canonical form. */
  readonly networks?: readonly string[] | undefined;
  readonly expiresAtMs?: number | undefined;
}

/**
 * Creates a key, and its account if it does not exist. The tier of a new account is `tier` or the contract's default.
 * Resolves with the key in plain text, and with the tier if the account is new. The service stores only the key's hash.
 */
export async function createKey(
  keys: KeyTable,
  options: KeyOptions & { account: string; tier?: Tier | undefined },
  nowMs: number,
) {
  return keys.transact(async (writer) => {
    const { accountId, tier, isNew } = await ensureAccount(writer, options.account, options.tier, nowMs);
    const { scopes = null, networks = null, expiresAtMs = null } = options;
    const { key, row } = await issue(writer, accountId, { scopes, networks, expiresAtMs }, nowMs);
    await audit(writer, { action: 'create', nowMs, key: row, details: readDetails(row) });
    return { key, keyId: row.keyId, newTier: isNew ? tier : undefined };
  });
}

/**
 * Creates a successor with the same scopes, networks and expiry. The old key expires after 24 hours, or immediately.
 */
export async function rotateKey(keys: KeyTable, keyId: string, endsNow: boolean, nowMs: number) {
  return keys.transact(async (writer) => {
    const old = await requireKey(writer, keyId);
    const status = describeStatus(old, nowMs);
    if (status !== 'valid') throw new KeyError(`key "${keyId}" is ${status}: create a new one with \`keys create\``);
    const { key, row } = await issue(writer, old.accountId, old, nowMs);
    const endsAtMs = endsNow ? nowMs : Math.min(nowMs + rotationMs, old.expiresAtMs ?? Number.POSITIVE_INFINITY);
    await writer.end(old, { expiresAtMs: endsAtMs });
    const details = { ends_at: formatTimestamp(endsAtMs), successor: row.keyId, successor_prefix: row.displayPrefix };
    for (const made of [writer.sourceKeys(old.accountId), writer.personLinks(old.accountId)])
      await made.setMaker(old.keyId, row.keyId);
    await audit(writer, { action: 'rotate', nowMs, key: old, details });
    return { key, keyId: row.keyId };
  });
}

/** Revokes a key. Has no effect on a revoked key. */
export async function revokeKey(keys: KeyTable, keyId: string, nowMs: number): Promise<void> {
  await keys.transact(async (writer) => {
    const key = await requireKey(writer, keyId);
    const isEnded = await writer.end(key, { revokedAtMs: nowMs });
    if (isEnded) await audit(writer, { action: 'revoke', nowMs, key, details: {} });
  });
}

/** Throws a KeyError if the account does not exist. */
export function requireAccount(row: AccountRow | undefined, name: string): AccountRow {
  if (!row) throw new KeyError(`there is no account "${name}": create a key for it first`);
  return row;
}

/** Bounds the length of an error. */
const namedAccountsMax = 20;

/** Resolves with the name of the only account. Rejects with a KeyError that lists the accounts if there are several. */
export async function requireOnlyAccount(keys: KeyTable): Promise<string> {
  const names = (await keys.listAccounts()).map((it) => it.name);
  const [only] = names;
  if (only === undefined) throw new KeyError('there is no account yet: name the new one with --account');
  if (names.length === 1) return only;
  const listed = names.slice(0, namedAccountsMax).join(', ');
  const others = names.length > namedAccountsMax ? ', …: `accounts show` lists all' : '';
  throw new KeyError(`there are ${names.length} accounts: set --account to one of ${listed}${others}`);
}

async function ensureAccount(
  keys: KeyWriter,
  name: string,
  tier: Tier | undefined,
  nowMs: number,
): Promise<AccountRow & { readonly isNew: boolean }> {
  const found = await keys.accountByName(name);
  const account = found ?? (await createAccount(keys, name, tier ?? settings.default_tier, nowMs));
  if (tier !== undefined && tier !== account.tier)
    throw new KeyError(
      `account "${name}" has tier ${account.tier}: change it with \`accounts set ${name} tier ${tier}\`, or omit --tier`,
    );
  return { ...account, isNew: found === undefined };
}

async function createAccount(keys: KeyWriter, name: string, tier: Tier, nowMs: number): Promise<AccountRow> {
  const account = { accountId: createKeyRecordId('acc', 20), name, tier, createdAtMs: nowMs, settings: {} };
  await keys.insertAccount(account);
  // Reads the account again, because another process may have created it in the meantime.
  return (await keys.accountByName(name)) ?? account;
}

async function issue(
  keys: KeyWriter,
  accountId: string,
  { scopes, networks, expiresAtMs }: Pick<KeyRow, 'scopes' | 'networks' | 'expiresAtMs'>,
  nowMs: number,
): Promise<{ readonly key: string; readonly row: KeyRow }> {
  const key = generateKey();
  const row: KeyRow = {
    accountId,
    keyId: createKeyRecordId('key', 12),
    keyHash: hashKey(key),
    displayPrefix: key.slice(0, displayCharacters),
    scopes,
    networks,
    createdAtMs: nowMs,
    expiresAtMs,
    revokedAtMs: null,
    lastUsedAtMs: null,
  };
  await keys.insert(row);
  return { key, row };
}

async function requireKey(keys: KeyWriter, keyId: string): Promise<ListedKey> {
  const row = await keys.byId(keyId);
  if (!row) throw new KeyError(`there is no key "${keyId}": \`keys list\` shows the ids`);
  return row;
}
