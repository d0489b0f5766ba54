import type { Knex } from 'knex';
import type { AccountSettings, LinkGrant, Tier } from '../contract/contract.js';
import { nameColumns, toColumns } from './columns.js';
import { requireEvidence } from './first-codes.js';
import { changeRows, hasValidCode } from './row-codes.js';
import { rowFormats } from './row-formats.js';
import type { ReadScope } from './scope.js';

/** A link to the page of one person. Times in epoch ms. */
export interface PersonLink {
  readonly accountId: string;
  readonly linkId: string;
  /** SHA-256 of the secret in the link, or of the cookie once the link was opened. */
  readonly keyHash: string;
  readonly subjectId: string;
  readonly grants: readonly LinkGrant[];
  /** The API key that created it. */
  readonly makerKeyId: string;
  readonly createdAtMs: number;
  /** Null until the link is opened. */
  readonly openedAtMs: number | null;
  readonly expiresAtMs: number;
}

/** A link with the tier and settings of its account, and the end of the API key that created it. */
export interface FoundLink extends PersonLink {
  readonly tier: Tier;
  readonly settings: AccountSettings;
  /** Epoch ms. 0 if the key was revoked or does not exist. */
  readonly makerEndsAtMs: number;
}

type Row = Omit<PersonLink, 'grants'> & { readonly grants: string };

const columns = nameColumns('accountId linkId keyHash subjectId grants makerKeyId createdAtMs openedAtMs expiresAtMs');
const selected = Object.fromEntries(
  Object.entries(columns).map(([field, column]) => [field, `person_links.${column}`] as const),
);

/** The links of one account. */
export function createPersonLinkTable({ knex, accountId }: ReadScope) {
  const mine = (key: object) => (rows: Knex.QueryBuilder) => rows.where({ account_id: accountId, ...key });
  const change = <T>(key: object, run: (rows: Knex.QueryBuilder) => PromiseLike<T>) =>
    changeRows(knex, 'person_links', mine(key), (on) => run(on('person_links')));
  return {
    /** Returns the links of a person that are not expired, newest first. */
    async list(subjectId: string, nowMs: number): Promise<PersonLink[]> {
      const rows: Row[] = await mine({ subject_id: subjectId })(knex('person_links'))
        .select(columns)
        .where('expires_at_ms', '>', nowMs);
      return rows.map(toLink).sort((a, b) => b.createdAtMs - a.createdAtMs || (a.linkId < b.linkId ? 1 : -1));
    },

    async insert(link: PersonLink): Promise<void> {
      const row = toColumns(columns, { ...link, grants: link.grants.join(',') });
      await change({ link_id: link.linkId }, (rows) => rows.insert(row));
    },

    /** Deletes a link of a person with the source keys that were made through it. Returns false if there is none. */
    async remove(subjectId: string, linkId: string, nowMs: number): Promise<boolean> {
      const isValid = (await this.list(subjectId, nowMs)).some((it) => it.linkId === linkId);
      if (!isValid) return false;
      const key = { link_id: linkId };
      await changeRows(knex, 'source_keys', mine(key), (on) => mine(key)(on('source_keys')).delete());
      return (await change(key, (rows) => mine(key)(rows).delete())) > 0;
    },

    /** Hands the links of an API key to its successor. */
    async setMaker(makerKeyId: string, successorId: string): Promise<void> {
      const ids: string[] = await mine({ maker_key_id: makerKeyId })(knex('person_links')).pluck('link_id');
      if (ids.length > 0) await requireEvidence(knex);
      const made = (rows: Knex.QueryBuilder) => mine({})(rows).whereIn('link_id', ids);
      await changeRows(knex, 'person_links', made, (on) =>
        made(on('person_links')).update({ maker_key_id: successorId }),
      );
    },
  };
}

/** Links of all accounts. */
export function createPersonLinkLookup(knex: Knex) {
  return {
    /** Returns the link with this hash or id, also an expired one. A link without a valid code does not exist. */
    async find(by: { readonly keyHash: string } | { readonly linkId: string; readonly accountId: string }) {
      const where =
        'keyHash' in by
          ? { 'person_links.key_hash': by.keyHash }
          : { 'person_links.account_id': by.accountId, 'person_links.link_id': by.linkId };
      const [row] = await knex('person_links')
        .join('accounts', 'accounts.account_id', 'person_links.account_id')
        .leftJoin('api_keys', function () {
          this.on('api_keys.account_id', 'person_links.account_id').andOn(
            'api_keys.key_id',
            'person_links.maker_key_id',
          );
        })
        .where(where)
        .select({
          ...selected,
          ...{ code: 'person_links.code', tier: 'accounts.tier', settings: 'accounts.settings' },
          maker: 'api_keys.key_id',
          ...{ revoked: 'api_keys.revoked_at_ms', ends: 'api_keys.expires_at_ms' },
        });
      if (!row) return undefined;
      const { code, ...found } = row;
      return hasValidCode(knex, 'person_links', { ...toColumns(columns, found), code }) ? toFound(found) : undefined;
    },

    /**
     * Replaces the hash of a link that was not opened and is not older than `sinceMs` by the hash of a cookie. Returns false
     * if there is none. One of several concurrent openings succeeds.
     */
    async open(keyHash: string, cookieHash: string, nowMs: number, sinceMs: number): Promise<boolean> {
      const either = (rows: Knex.QueryBuilder) => rows.whereIn('key_hash', [keyHash, cookieHash]);
      const opened = await changeRows(knex, 'person_links', either, (on) =>
        on('person_links')
          .where({ key_hash: keyHash })
          .whereNull('opened_at_ms')
          .where('created_at_ms', '>', sinceMs)
          .where('expires_at_ms', '>', nowMs)
          .update({ key_hash: cookieHash, opened_at_ms: nowMs }),
      );
      return opened > 0;
    },
  };
}

function toFound({ revoked, ends, maker, settings, tier, ...row }: Row & Record<string, unknown>): FoundLink {
  const endsAtMs = ends === null ? Infinity : Number(ends);
  return {
    ...toLink(row),
    tier: tier as Tier,
    settings: settings === null ? {} : rowFormats.accountSettings.decode(String(settings)),
    makerEndsAtMs: maker === null || revoked !== null ? 0 : endsAtMs,
  };
}

/** SQLite and MySQL return numbers of 64 bits in different types. */
function toLink({ grants, createdAtMs, openedAtMs, expiresAtMs, ...row }: Row): PersonLink {
  return {
    ...row,
    grants: grants.split(',') as LinkGrant[],
    createdAtMs: Number(createdAtMs),
    openedAtMs: openedAtMs === null ? null : Number(openedAtMs),
    expiresAtMs: Number(expiresAtMs),
  };
}
