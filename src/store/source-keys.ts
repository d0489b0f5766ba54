import type { Knex } from 'knex';
import type { Schema } from '../contract/contract.js';
import { filterAsciiIds, nameColumns } from './columns.js';
import type { DigestId } from './erased-ids.js';
import { omitLeftovers } from './leftovers.js';
import { createMadeTable, type Found, findMade, listMade, type Made, type MadeTable } from './made-keys.js';
import { rowFormats } from './row-formats.js';
import { chunksOf } from './rows.js';
import type { ReadScope } from './scope.js';

/**
 * A key of an app of one person. The database contains only its SHA-256 hash and its first characters. Or the connection of
 * a hub, whose hash is that of its id. Times in epoch ms.
 */
export interface SourceKey extends Made {
  readonly sourceKeyId: string;
  readonly keyHash: string;
  readonly displayPrefix: string;
  readonly source: Schema<'Source'>;
  /** Zone of times without one. Null if the request named none. */
  readonly timeZone: string | null;
  /** The encrypted secret with which a hub signs. Null for the key of a person. */
  readonly signingSecret: string | null;
  /** The API key that created it. Null for the command line. */
  readonly makerKeyId: string | null;
  /** The link through which the person created it. Null if there is none. */
  readonly linkId: string | null;
  /** Null if the key was never used. */
  readonly lastUsedAtMs: number | null;
  /** Null if the key was never used. */
  readonly lastPost: Schema<'SourceKeyPost'> | null;
}

export type FoundSourceKey = Found<SourceKey>;

type SourceKeyRow = Omit<SourceKey, 'lastPost'> & { readonly lastPost: string | null };

const columns = nameColumns(
  'accountId sourceKeyId keyHash displayPrefix subjectId source timeZone signingSecret makerKeyId linkId createdAtMs ' +
    'expiresAtMs lastUsedAtMs lastPost',
);
const made: MadeTable<SourceKey> = {
  ...{ table: 'source_keys', id: 'source_key_id', columns },
  encode: (key) => ({ ...key, lastPost: key.lastPost && rowFormats.sourceKeyPost.encode(key.lastPost) }),
  decode: (row) => toSourceKey(row as unknown as SourceKeyRow),
};
/** Minimum time between two updates of the last use, in ms. */
const useMs = 3_600_000;

/** The source keys of one account. */
export function createSourceKeyTable({ knex, accountId }: ReadScope) {
  const mine = () => knex('source_keys').where({ account_id: accountId });
  const { find, list, insert, remove, setMaker } = createMadeTable({ knex, accountId }, made);
  return {
    insert,
    setMaker,

    /** Returns at most `max` keys that have not ended, newest first: of a person, of hubs if null, or of the account. */
    list: (subjectId: string | null | undefined, nowMs: number, max: number) =>
      list(subjectId === undefined ? {} : { subject_id: subjectId }, nowMs, max),

    /** Deletes the keys that a person made through a link. */
    removeOfLink: (linkId: string) => remove({ link_id: linkId }),

    /** Locks the account, so that two requests together do not exceed the maximum number of keys. */
    async lockAccount(): Promise<void> {
      await knex('accounts').where({ account_id: accountId }).select('account_id').forUpdate();
    },

    /** Deletes a key. Returns it. */
    async remove(sourceKeyId: string): Promise<SourceKey | undefined> {
      const found = await find({ source_key_id: sourceKeyId });
      if (found) await remove({ source_key_id: sourceKeyId });
      return found;
    },

    /** Returns those people of whom the account has data, a consent, or a source key since their newest erasure. */
    async findKnown(subjectIds: readonly string[], digestId: DigestId): Promise<ReadonlySet<string>> {
      const known = new Set<string>();
      for (const some of chunksOf(filterAsciiIds(subjectIds))) {
        for (const table of ['subjects', 'consents']) {
          const rows = knex(table).where({ account_id: accountId }).whereIn('subject_id', some);
          if (table === 'subjects') void rows.whereNotNull('body');
          for (const id of await rows.distinct().pluck('subject_id')) known.add(id);
        }
        const keys = await mine().select('subject_id', 'created_at_ms').whereIn('subject_id', some);
        const others = keys
          .map((row) => ({ subjectId: String(row.subject_id), createdAtMs: Number(row.created_at_ms) }))
          .filter(({ subjectId }) => !known.has(subjectId));
        for (const { subjectId } of await omitLeftovers({ knex, accountId }, others, digestId)) known.add(subjectId);
      }
      return known;
    },

    /** Writes once per hour, and whenever what the app posts changes: a watch posts every few seconds. */
    async recordUse(sourceKeyId: string, nowMs: number, post: Schema<'SourceKeyPost'>): Promise<void> {
      const text = rowFormats.sourceKeyPost.encode(post);
      const hourMs = Math.floor(nowMs / useMs) * useMs;
      await mine()
        .where({ source_key_id: sourceKeyId })
        .where((rows) => {
          void rows.whereNull('last_post').orWhere('last_used_at_ms', '<', hourMs).orWhereNot('last_post', text);
        })
        .update({ last_used_at_ms: hourMs, last_post: text });
    },
  };
}

/**
 * Replaces the secrets of all hubs. `reseal` returns the secret as it is stored from now on, or undefined if it stays. The
 * encryption binds a secret to its row, so no code covers it.
 */
export async function resealSigningSecrets(
  knex: Knex,
  reseal: (sealed: string, accountId: string, sourceKeyId: string) => string | undefined,
): Promise<void> {
  const keys: SourceKey[] = await knex('source_keys').whereNotNull('signing_secret').select(columns);
  for (const { accountId, sourceKeyId, signingSecret } of keys) {
    const sealed = reseal(signingSecret ?? '', accountId, sourceKeyId);
    const row = { account_id: accountId, source_key_id: sourceKeyId, signing_secret: signingSecret };
    if (sealed !== undefined) await knex('source_keys').where(row).update({ signing_secret: sealed });
  }
}

/** Source keys of all accounts. */
export function createSourceKeyLookup(knex: Knex) {
  return {
    /** Returns how long an account must keep readings for the newest posts of a source, in hours. */
    async findNeededHours(nowMs: number) {
      const rows: ReadonlyArray<
        Pick<SourceKeyRow, 'accountId' | 'source' | 'lastPost'> & { readonly account: string }
      > = await knex('source_keys as k')
        .join('accounts as a', 'a.account_id', 'k.account_id')
        .select({ accountId: 'a.account_id', account: 'a.name', source: 'k.source', lastPost: 'k.last_post' })
        .where('expires_at_ms', '>', nowMs)
        .where('last_post', 'like', '%"readings_hours"%');
      return rows.map(({ lastPost, ...row }) => ({ ...row, hours: decodePost(lastPost)?.readings_hours ?? 0 }));
    },

    listAll: (nowMs: number, account?: string) => listMade(knex, made, nowMs, account),

    /** Returns the keys with these hashes, also those that have ended. */
    byHashes: (hashes: readonly string[]) => findMade(knex, made, hashes),
  };
}

function toSourceKey({ lastUsedAtMs, lastPost, ...row }: SourceKeyRow): SourceKey {
  return {
    ...row,
    lastUsedAtMs: lastUsedAtMs === null ? null : Number(lastUsedAtMs),
    lastPost: decodePost(lastPost),
  };
}

function decodePost(text: string | null): Schema<'SourceKeyPost'> | null {
  return text === null ? null : rowFormats.sourceKeyPost.decode(text);
}
