import { randomUUID } from 'node:crypto';
import type { Tier } from '../contract.js';
import type { AccountRow, KeyRow, KeyTable } from '../store/keys.js';
import { displayPrefixOf, hashOfKey, makeKey } from './key.js';

/** How long a rotated key stays valid beside its successor. */
const rotationMs = 24 * 60 * 60 * 1000;

/** A wish that cannot be met as it stands; the message names the remedy. */
export class KeyError extends Error {}

/** A key in clear; it exists only in this answer. */
export interface IssuedKey {
  readonly key: string;
  readonly keyId: string;
}

/** Makes a key; the account is made with it unless it exists. `tier` is needed for a new account. */
export async function createKey(
  keys: KeyTable,
  wish: { account: string; tier?: Tier | undefined; expiresAtMs?: number | undefined },
  nowMs: number,
): Promise<IssuedKey> {
  const accountId = await ensureAccount(keys, wish.account, wish.tier, nowMs);
  return issue(keys, accountId, wish.expiresAtMs ?? null, nowMs);
}

/** A successor with the same expiry; the old key ends after a day, or now. */
export async function rotateKey(keys: KeyTable, keyId: string, endsNow: boolean, nowMs: number): Promise<IssuedKey> {
  const old = await requireKey(keys, keyId);
  const status = statusOf(old, nowMs);
  if (status !== 'valid') throw new KeyError(`key "${keyId}" is ${status}: make a new one with \`keys create\``);
  const successor = await issue(keys, old.accountId, old.expiresAtMs, nowMs);
  const endsAtMs = endsNow ? nowMs : Math.min(nowMs + rotationMs, old.expiresAtMs ?? Number.POSITIVE_INFINITY);
  await keys.end(old, { expiresAtMs: endsAtMs });
  return successor;
}

export async function revokeKey(keys: KeyTable, keyId: string, nowMs: number): Promise<void> {
  await keys.end(await requireKey(keys, keyId), { revokedAtMs: nowMs });
}

export async function setTier(keys: KeyTable, account: string, tier: Tier): Promise<void> {
  const row = await keys.accountByName(account);
  if (!row) throw new KeyError(`there is no account "${account}": create a key for it first`);
  await keys.setTier(row.accountId, tier);
}

export type KeyStatus = 'valid' | 'expired' | 'revoked';

export function statusOf({ revokedAtMs, expiresAtMs }: KeyRow, nowMs: number): KeyStatus {
  if (revokedAtMs !== null) return 'revoked';
  return expiresAtMs !== null && expiresAtMs <= nowMs ? 'expired' : 'valid';
}

async function ensureAccount(keys: KeyTable, name: string, tier: Tier | undefined, nowMs: number): Promise<string> {
  const account = (await keys.accountByName(name)) ?? (await makeAccount(keys, name, tier, nowMs));
  if (tier !== undefined && tier !== account.tier)
    throw new KeyError(`account "${name}" has tier ${account.tier}: change it with set-tier, or leave --tier out`);
  return account.accountId;
}

async function makeAccount(keys: KeyTable, name: string, tier: Tier | undefined, nowMs: number): Promise<AccountRow> {
  if (tier === undefined) throw new KeyError(`account "${name}" is new: name its --tier`);
  const accountId = `acc_${randomUUID().replaceAll('-', '').slice(0, 20)}`;
  const account = { accountId, name, tier, createdAtMs: nowMs };
  await keys.insertAccount(account);
  // Read again: another process may have made it first.
  return (await keys.accountByName(name)) ?? account;
}

async function issue(keys: KeyTable, accountId: string, expiresAtMs: number | null, nowMs: number): Promise<IssuedKey> {
  const key = makeKey();
  const keyId = `key_${randomUUID().replaceAll('-', '').slice(0, 12)}`;
  await keys.insert({
    accountId,
    keyId,
    keyHash: hashOfKey(key),
    displayPrefix: displayPrefixOf(key),
    createdAtMs: nowMs,
    expiresAtMs,
    revokedAtMs: null,
    lastUsedAtMs: null,
  });
  return { key, keyId };
}

async function requireKey(keys: KeyTable, keyId: string): Promise<KeyRow> {
  const row = await keys.byId(keyId);
  if (!row) throw new KeyError(`there is no key "${keyId}": \`keys list\` shows the ids`);
  return row;
}
