import type { Knex } from 'knex';
import type { AccountSettings, Schema, Tier } from '../contract/contract.js';
import { nameColumns, toColumns } from './columns.js';
import { rowFormats } from './row-formats.js';
import type { ReadScope } from './scope.js';

/** A key of an app of one person. The database contains only its SHA-256 hash and its first characters. Times in epoch ms. */
export interface SourceKey {
  readonly accountId: string;
  readonly sourceKeyId: string;
  readonly keyHash: string;
  readonly displayPrefix: string;
  readonly subjectId: string;
  readonly source: Schema<'Source'>;
  /** Zone of times without one. Null if the request named none. */
  readonly timeZone: string | null;
  /** The API key that created it. Null for the command line. */
  readonly makerKeyId: string | null;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /** Null if the key was never used. */
  readonly lastUsedAtMs: number | null;
  /** Null if the key was never used. */
  readonly lastPost: Schema<'SourceKeyPost'> | null;
}

/** A source key with the tier and settings of its account. */
export interface FoundSourceKey extends SourceKey {
  readonly tier: Tier;
  readonly settings: AccountSettings;
  /** True if the API key that created it was revoked. */
  readonly isMakerRevoked: boolean;
}

type SourceKeyRow = Omit<SourceKey, 'lastPost'> & { readonly lastPost: string | null };

const columns = nameColumns(
  'accountId sourceKeyId keyHash displayPrefix subjectId source timeZone makerKeyId createdAtMs expiresAtMs lastUsedAtMs lastPost',
);
const selected = Object.fromEntries(
  Object.entries(columns).map(([field, column]) => [field, `source_keys.${column}`] as const),
);
/** Minimum time between two updates of the last use, in ms. */
const useMs = 3_600_000;

/** The source keys of one account. */
export function createSourceKeyTable({ knex, accountId }: ReadScope) {
  const mine = () => knex('source_keys').where({ account_id: accountId });
  return {
    /** Locks the account, so that two requests together do not exceed the maximum number of keys. */
    async lockAccount(): Promise<void> {
      await knex('accounts').where({ account_id: accountId }).select('account_id').forUpdate();
    },

    async count(subjectId: string, nowMs: number): Promise<number> {
      const found = await mine().where({ subject_id: subjectId }).where('expires_at_ms', '>', nowMs).count({ n: '*' });
      return Number(found[0]?.['n']);
    },

    async insert(key: SourceKey): Promise<void> {
      const lastPost = key.lastPost && rowFormats.sourceKeyPost.encode(key.lastPost);
      await knex('source_keys').insert(toColumns(columns, { ...key, lastPost }));
    },

    /** Returns at most `max` keys that are not expired, newest first, of a person or of the account. */
    async list(subjectId: string | undefined, nowMs: number, max: number): Promise<SourceKey[]> {
      const query = mine().select(columns).where('expires_at_ms', '>', nowMs);
      if (subjectId !== undefined) query.where({ subject_id: subjectId });
      const newestFirst = ['created_at_ms', 'source_key_id'].map((column) => ({ column, order: 'desc' as const }));
      return (await query.orderBy(newestFirst).limit(max)).map(toSourceKey);
    },

    /** Deletes a key. Returns it. */
    async remove(sourceKeyId: string): Promise<SourceKey | undefined> {
      const [found] = await mine().select(columns).where({ source_key_id: sourceKeyId });
      if (found) await mine().where({ source_key_id: sourceKeyId }).delete();
      return found && toSourceKey(found);
    },

    /** Hands the keys of an API key to its successor. */
    async setMaker(makerKeyId: string, successorId: string): Promise<void> {
      await mine().where({ maker_key_id: makerKeyId }).update({ maker_key_id: successorId });
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

/** Source keys of all accounts. */
export function createSourceKeyLookup(knex: Knex) {
  return {
    /** Returns the RETENTION_READINGS_HOURS that the newest posts of a source require, by source. */
    async findNeededHours(nowMs: number): Promise<ReadonlyMap<Schema<'Source'>, number>> {
      const rows: SourceKeyRow[] = await knex('source_keys')
        .select(columns)
        .where('expires_at_ms', '>', nowMs)
        .where('last_post', 'like', '%"readings_hours"%');
      const hours = new Map<Schema<'Source'>, number>();
      for (const { source, lastPost } of rows.map(toSourceKey))
        hours.set(source, Math.max(hours.get(source) ?? 0, lastPost?.readings_hours ?? 0));
      return hours;
    },

    /** Returns the key with this hash, also an expired one. */
    async find(keyHash: string): Promise<FoundSourceKey | undefined> {
      const [row] = await knex('source_keys')
        .join('accounts', 'accounts.account_id', 'source_keys.account_id')
        .leftJoin('api_keys', function () {
          this.on('api_keys.account_id', 'source_keys.account_id').andOn('api_keys.key_id', 'source_keys.maker_key_id');
        })
        .where({ 'source_keys.key_hash': keyHash })
        .select({
          ...selected,
          tier: 'accounts.tier',
          settings: 'accounts.settings',
          revoked: 'api_keys.revoked_at_ms',
        });
      if (!row) return undefined;
      const { revoked, settings, ...key } = row;
      const decoded = settings === null ? {} : rowFormats.accountSettings.decode(settings);
      return { ...toSourceKey(key), tier: key.tier, settings: decoded, isMakerRevoked: revoked !== null };
    },
  };
}

/** SQLite and MySQL return numbers of 64 bits in different types. */
function toSourceKey(row: SourceKeyRow): SourceKey {
  const { lastUsedAtMs, lastPost } = row;
  return {
    ...row,
    createdAtMs: Number(row.createdAtMs),
    expiresAtMs: Number(row.expiresAtMs),
    lastUsedAtMs: lastUsedAtMs === null ? null : Number(lastUsedAtMs),
    lastPost: lastPost === null ? null : rowFormats.sourceKeyPost.decode(lastPost),
  };
}
