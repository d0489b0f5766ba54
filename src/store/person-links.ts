import type { Knex } from 'knex';
import { personLinks as settings } from '../../generated/spec.js';
import type { LinkGrant } from '../contract/contract.js';
import { nameColumns } from './columns.js';
import { createMadeTable, type Found, findMade, listMade, type Made, type MadeTable } from './made-keys.js';
import { changeRows } from './row-codes.js';
import type { ReadScope } from './scope.js';
import { createSourceKeyTable } from './source-keys.js';

/** A link to the page of one person. Times in epoch ms. */
export interface PersonLink extends Made {
  readonly linkId: string;
  /** SHA-256 of the secret in the link, or of the cookie once the link was opened. */
  readonly keyHash: string;
  readonly subjectId: string;
  readonly grants: readonly LinkGrant[];
  /** The API key that created it. */
  readonly makerKeyId: string;
  /** Null until the link is opened. */
  readonly openedAtMs: number | null;
}

export type FoundLink = Found<PersonLink>;

type Row = Omit<PersonLink, 'grants'> & { readonly grants: string };

const columns = nameColumns('accountId linkId keyHash subjectId grants makerKeyId createdAtMs openedAtMs expiresAtMs');
const made: MadeTable<PersonLink> = {
  ...{ table: 'person_links', id: 'link_id', columns },
  encode: (link) => ({ ...link, grants: link.grants.join(',') }),
  decode: (row) => toLink(row as unknown as Row),
};

/** The links of one account. */
export function createPersonLinkTable(scope: ReadScope) {
  const { list, insert, remove, setMaker } = createMadeTable(scope, made);
  return {
    insert,
    setMaker,

    /** Returns the newest links of a person that have not ended. */
    list: (subjectId: string, nowMs: number) => list({ subject_id: subjectId }, nowMs, settings.links_per_subject_max),

    /** Deletes a link of a person with the source keys that were made through it. Returns false if there is none. */
    async remove(subjectId: string, linkId: string, nowMs: number): Promise<boolean> {
      const key = { link_id: linkId };
      if ((await list({ ...key, subject_id: subjectId }, nowMs, 1)).length === 0) return false;
      await createSourceKeyTable(scope).removeOfLink(linkId);
      return (await remove(key)) > 0;
    },
  };
}

/** Links of all accounts. */
export function createPersonLinkLookup(knex: Knex) {
  return {
    listAll: (nowMs: number, account?: string) => listMade(knex, made, nowMs, account),

    /** Returns the links with these hashes, also expired ones. */
    byHashes: (hashes: readonly string[]) => findMade(knex, made, hashes),

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

/** SQLite and MySQL return numbers of 64 bits in different types. */
function toLink({ grants, openedAtMs, ...row }: Row): PersonLink {
  return {
    ...row,
    grants: grants.split(',') as LinkGrant[],
    openedAtMs: openedAtMs === null ? null : Number(openedAtMs),
  };
}
