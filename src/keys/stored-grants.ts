import type { Tier } from '../contract/contract.js';
import { type Grant, type GrantKind, isBeforeErasure } from '../contract/grant.js';
import { createDeviceLookup, type StoredDevice } from '../store/devices.js';
import { createKeyTable, type ListedKey } from '../store/keys.js';
import { createPersonLinkLookup, type FoundLink } from '../store/person-links.js';
import { createSourceKeyLookup, type FoundSourceKey } from '../store/source-keys.js';
import type { Store } from '../store/store.js';
import { listScopes, readScopes } from './scopes.js';

/**
 * Minimum time between two updates of a key's last use, in ms. Hourly is precise enough to find unused keys, and costs
 * the database little.
 */
const useMs = 60 * 60 * 1000;

/** What is stored of a credential. Plain data, because it is sent to another thread. */
export interface StoredGrant {
  readonly grant: Grant;
  /** CIDRs from which an API key is valid. Null means every address. */
  readonly networks?: readonly string[] | null;
  /** The name of the account of an API key. */
  readonly account?: string;
}

/**
 * A credential is stored under its hash. What is behind a token: the ids of the key that signed it, or an account. A device is
 * no credential: its ids name the person of a reading.
 */
type StoredKind = Exclude<GrantKind, 'session' | 'oauth'> | 'signer' | 'account' | 'device';

export interface FindGrantsParts {
  readonly store: Pick<Store, 'use'>;
  /** Returns the time of the newest erasure of a person, in epoch ms. 0 if there is none. */
  readonly findErased: (accountId: string, subjectId: string) => Promise<number>;
  /** Returns the namespace of a person's sessions. */
  readonly toNamespace: (accountId: string, subjectId: string) => string;
  /** Epoch ms. */
  readonly now: () => number;
}

/**
 * Returns a function that finds grants by what they are stored as: a kind and its name. Undefined for a name that does not
 * exist, for a link that was not opened, and for a credential of a person who was erased since, also if an earlier release,
 * which does not know the credential, erased the person.
 */
export function createFindGrants({ store, findErased, toNamespace, now }: FindGrantsParts) {
  const keys = store.use(createKeyTable);
  const sourceKeys = store.use(createSourceKeyLookup);
  const links = store.use(createPersonLinkLookup);
  const devices = store.use(createDeviceLookup);
  const finders: Readonly<Record<StoredKind, (names: readonly string[]) => Promise<readonly StoredGrant[]>>> = {
    async key(hashes) {
      const rows = await keys.byHashes(hashes);
      for (const row of rows) if (isUseStale(row, now())) void keys.recordUse(row, now()).catch(() => undefined);
      return rows.map((row) => toKeyGrant(row, `key ${row.keyHash}`));
    },
    async signer(names) {
      const rows = await Promise.all(names.map((it) => keys.find(...(it.split(' ') as [string, string]))));
      return rows.flatMap((row, index) => (row ? [toKeyGrant(row, `signer ${names[index]}`)] : []));
    },
    async account(names) {
      const rows = await Promise.all(names.map(keys.accountByName));
      return rows.flatMap((row, index) => {
        if (!row) return [];
        const { accountId, settings } = row;
        const unlimited = { keyId: '', scopes: [], endsAtMs: Infinity, tier: row.tier as Tier };
        const storedAs = `account ${names[index]}`;
        return [{ grant: { kind: 'oauth', accountId, storedAs, settings, ...unlimited } }];
      });
    },
    async device(names) {
      const byAccount = new Map<string, string[]>();
      for (const name of names) {
        const [accountId = '', deviceId = ''] = name.split(' ');
        byAccount.set(accountId, [...(byAccount.get(accountId) ?? []), deviceId]);
      }
      const found = await Promise.all(
        [...byAccount].map(async ([accountId, ids]) =>
          (await devices.byIds(accountId, ids)).map((row) => toDeviceGrant(accountId, row)),
        ),
      );
      return found.flat();
    },
    source: async (hashes) => (await sourceKeys.byHashes(hashes)).map(toSourceGrant),
    link: async (hashes) =>
      (await links.byHashes(hashes)).flatMap((row) => toLinkGrant(row, toNamespace(row.accountId, row.subjectId))),
  };

  async function isErased({ grant }: StoredGrant): Promise<boolean> {
    const { accountId, subjectId } = grant;
    return subjectId !== undefined && isBeforeErasure(grant, await findErased(accountId, subjectId));
  }

  return async (all: readonly string[]): Promise<Array<StoredGrant | undefined>> => {
    const found = new Map<string, StoredGrant>();
    for (const [kind, find] of Object.entries(finders)) {
      const prefix = `${kind} `;
      const names = all.filter((it) => it.startsWith(prefix)).map((it) => it.slice(prefix.length));
      const grants = names.length > 0 ? await find(names) : [];
      for (const it of grants) if (!(await isErased(it))) found.set(it.grant.storedAs, it);
    }
    return all.map((it) => found.get(it));
  };
}

function isUseStale({ lastUsedAtMs }: ListedKey, nowMs: number): boolean {
  return lastUsedAtMs === null || lastUsedAtMs < nowMs - useMs;
}

function toKeyGrant(row: ListedKey, storedAs: string): StoredGrant {
  const { accountId, keyId, tier, settings, account, networks, expiresAtMs, revokedAtMs } = row;
  const endsAtMs = revokedAtMs === null ? (expiresAtMs ?? Infinity) : 0;
  const scopes = readScopes(row);
  return { grant: { kind: 'key', accountId, keyId, storedAs, tier, settings, scopes, endsAtMs }, account, networks };
}

/** A grant without rights: readings use its person and its age. */
function toDeviceGrant(accountId: string, { deviceId, subjectId, createdAtMs }: StoredDevice): StoredGrant {
  const storedAs = `device ${accountId} ${deviceId}`;
  const own = { accountId, keyId: deviceId, storedAs, subjectId, issuedAtMs: createdAtMs } as const;
  return { grant: { kind: 'source', ...own, tier: 'free', scopes: [], endsAtMs: Infinity } };
}

function toSourceGrant(row: FoundSourceKey): StoredGrant {
  const { accountId, sourceKeyId: keyId, tier, settings, subjectId, source, timeZone, signingSecret } = row;
  return {
    grant: {
      ...{ kind: 'source', accountId, keyId, storedAs: `source ${row.keyHash}`, tier, settings, scopes: [] },
      ...{ issuedAtMs: row.createdAtMs, endsAtMs: row.expiresAtMs, ...(subjectId !== null && { subjectId }) },
      sender: { source, timeZone, ...(signingSecret !== null && { signingSecret }) },
    },
  };
}

function toLinkGrant(row: FoundLink, namespace: string): StoredGrant[] {
  const { accountId, linkId: keyId, tier, settings, subjectId, grants, makerKeyId, openedAtMs } = row;
  if (openedAtMs === null) return [];
  const scopes = listScopes(grants);
  return [
    {
      grant: {
        ...{ kind: 'link', accountId, keyId, storedAs: `link ${row.keyHash}`, tier, settings, scopes },
        ...{ issuedAtMs: row.createdAtMs, endsAtMs: row.expiresAtMs, subjectId, namespace },
        link: { grants, openedAtMs, makerKeyId },
      },
    },
  ];
}
