import type { Knex } from 'knex';
import type { AccountSettings, Schema, Tier } from '../contract/contract.js';
import { filterAsciiIds, nameColumns, toColumns } from './columns.js';
import type { DeletedBatch } from './delete-oldest.js';
import type { DigestId } from './erased-ids.js';
import { omitLeftovers } from './leftovers.js';
import { requireEvidence } from './first-codes.js';
import { changeRows, hasValidCode } from './row-codes.js';
import { rowFormats } from './row-formats.js';
import { chunksOf } from './rows.js';
import type { ReadScope } from './scope.js';

/**
 * A key of an app of one person. The database contains only its SHA-256 hash and its first characters. Or the connection of
 * a hub, whose hash is that of its id. Times in epoch ms.
 */
export interface SourceKey {
  readonly accountId: string;
  readonly sourceKeyId: string;
  readonly keyHash: string;
  readonly displayPrefix: string;
  /** Null for a hub. */
  readonly subjectId: string | null;
  readonly source: Schema<'Source'>;
  /** Zone of times without one. Null if the request named none. */
  readonly timeZone: string | null;
  /** The encrypted secret with which a hub signs. Null for the key of a person. */
  readonly signingSecret: string | null;
  /** The API key that created it. Null for the command line. */
  readonly makerKeyId: string | null;
  /** The link through which the person created it. Null if there is none. */
  readonly linkId: string | null;
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
  'accountId sourceKeyId keyHash displayPrefix subjectId source timeZone signingSecret makerKeyId linkId createdAtMs ' +
    'expiresAtMs lastUsedAtMs lastPost',
);
const selected = Object.fromEntries(
  Object.entries(columns).map(([field, column]) => [field, `source_keys.${column}`] as const),
);
/** Minimum time between two updates of the last use, in ms. */
const useMs = 3_600_000;

/** The source keys of one account. */
export function createSourceKeyTable({ knex, accountId }: ReadScope) {
  const mine = () => knex('source_keys').where({ account_id: accountId });
  const change = (key: object, run: (rows: Knex.QueryBuilder) => PromiseLike<unknown>) =>
    changeRows(
      knex,
      'source_keys',
      (rows) => rows.where(key),
      (on) => run(on('source_keys')),
    );
  return {
    /** Locks the account, so that two requests together do not exceed the maximum number of keys. */
    async lockAccount(): Promise<void> {
      await knex('accounts').where({ account_id: accountId }).select('account_id').forUpdate();
    },

    /** Returns the number of keys of a person, or of connections of hubs. */
    async count(subjectId: string | null, nowMs: number): Promise<number> {
      const found = await mine().where({ subject_id: subjectId }).where('expires_at_ms', '>', nowMs).count({ n: '*' });
      return Number(found[0]?.['n']);
    },

    async insert(key: SourceKey): Promise<void> {
      await requireEvidence(knex);
      const lastPost = key.lastPost && rowFormats.sourceKeyPost.encode(key.lastPost);
      const mineOnly = { account_id: accountId, source_key_id: key.sourceKeyId };
      await change(mineOnly, (rows) => rows.insert(toColumns(columns, { ...key, lastPost })));
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
      const mineOnly = { account_id: accountId, source_key_id: sourceKeyId };
      if (found) await change(mineOnly, (rows) => rows.where(mineOnly).delete());
      return found && toSourceKey(found);
    },

    /** Hands the keys of an API key to its successor. */
    async setMaker(makerKeyId: string, successorId: string): Promise<void> {
      const hashes: string[] = await mine().where({ maker_key_id: makerKeyId }).pluck('key_hash');
      if (hashes.length > 0) await requireEvidence(knex);
      const made = (rows: Knex.QueryBuilder) => rows.whereIn('key_hash', hashes);
      await changeRows(knex, 'source_keys', made, (on) =>
        made(on('source_keys')).update({ maker_key_id: successorId }),
      );
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
        const keys: SourceKeyRow[] = await mine().select(columns).whereIn('subject_id', some);
        const others = keys.map(toSourceKey).filter(({ subjectId }) => !known.has(subjectId ?? ''));
        for (const { subjectId } of await omitLeftovers({ knex, accountId }, others, digestId))
          known.add(subjectId ?? '');
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

/** Deletes at most `batch` source keys or links that expired before `beforeMs`, oldest first. */
export async function purgeExpiredKeys(
  knex: Knex,
  table: 'source_keys' | 'person_links',
  beforeMs: number,
  batch: number,
): Promise<DeletedBatch> {
  const oldest: ReadonlyArray<{ readonly key_hash: string; readonly expires_at_ms: number | string }> = await knex(
    table,
  )
    .where('expires_at_ms', '<', beforeMs)
    .orderBy('expires_at_ms')
    .limit(batch)
    .select('key_hash', 'expires_at_ms');
  if (oldest.length === 0) return { rows: 0 };
  const hashes = oldest.map((it) => it.key_hash);
  const select = (rows: Knex.QueryBuilder) => rows.whereIn('key_hash', hashes);
  const rows = await changeRows(knex, table, select, (on) => select(on(table)).delete());
  return { rows, oldestMs: Number(oldest[0]?.expires_at_ms) };
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

    /** Returns the key with this hash, also an expired one. A key without a valid code does not exist. */
    async find(keyHash: string): Promise<FoundSourceKey | undefined> {
      const [row] = await knex('source_keys')
        .join('accounts', 'accounts.account_id', 'source_keys.account_id')
        .leftJoin('api_keys', function () {
          this.on('api_keys.account_id', 'source_keys.account_id').andOn('api_keys.key_id', 'source_keys.maker_key_id');
        })
        .where({ 'source_keys.key_hash': keyHash })
        .select({
          ...selected,
          ...{ code: 'source_keys.code', tier: 'accounts.tier', settings: 'accounts.settings' },
          revoked: 'api_keys.revoked_at_ms',
        });
      if (!row) return undefined;
      const { revoked, settings, code, ...key } = row;
      if (!hasValidCode(knex, 'source_keys', { ...toColumns(columns, key), code })) return undefined;
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
