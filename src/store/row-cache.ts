import { LRUCache } from 'lru-cache';

/** Lookups in a cache since the start of the process. */
export interface CacheLookups {
  readonly hits: number;
  readonly misses: number;
}

/** Version of a placeholder row. */
export const noVersion = '';

interface LockedRow {
  readonly id: string;
  readonly version: string;
}

interface Kept<Content> {
  readonly version: string;
  readonly content: Content;
  readonly length: number;
}

/** Memory of content per character of its JSON, in bytes: 1.4 to 1.65 for sessions and people, measured in Node 20. */
const bytesPerCharacter = 1.65;
/** Memory of an entry in addition to its content, in bytes: its key, the version, and its place in the order of use. */
const entryBytes = 240;

export type RowCache<Content extends object> = ReturnType<typeof createRowCache<Content>>;

/**
 * Creates a cache of row contents by row version, of at most `bytesMax` of memory. It avoids reading a row that
 * no other process has changed. Every transaction writes a new version, and a cache entry is used only if it has the
 * version of the locked row. The cache is therefore never stale.
 */
export function createRowCache<Content extends object>(bytesMax: number) {
  const kept = new LRUCache<string, Kept<Content>>({ maxSize: bytesMax });
  let hits = 0;
  let misses = 0;
  return {
    /**
     * Returns the contents of the locked rows. Takes them from the cache if possible, otherwise from `read`. The content
     * of a placeholder row is undefined.
     */
    async contentsOf(
      accountId: string,
      rows: readonly LockedRow[],
      read: (ids: string[]) => Promise<Map<string, Content>>,
    ): Promise<Map<string, Content | undefined>> {
      const contents = new Map<string, Content | undefined>();
      const unknown: string[] = [];
      for (const { id, version } of rows) {
        const known = kept.get(keyOf(accountId, id));
        if (version === noVersion) contents.set(id, undefined);
        else if (known?.version === version) contents.set(id, known.content);
        else unknown.push(id);
      }
      const placeholders = rows.filter(({ version }) => version === noVersion).length;
      hits += rows.length - placeholders - unknown.length;
      misses += unknown.length;
      if (unknown.length > 0) for (const [id, content] of await read(unknown)) contents.set(id, content);
      return contents;
    },
    /**
     * Adds a row to the cache. Called after the commit. `length` is that of the row's JSON, `others` that of other rows in
     * the content.
     */
    keep(accountId: string, { id, version }: LockedRow, content: Content, length: number, others = 0): void {
      const size = entryBytes + Math.ceil(bytesPerCharacter * (length + others));
      kept.set(keyOf(accountId, id), { version, content, length }, { size });
    },
    /** Returns the length of the row's JSON when it was added. Undefined if it is not in the cache. */
    lengthOf: (accountId: string, id: string): number | undefined => kept.peek(keyOf(accountId, id))?.length,
    /** Returns the numbers of rows found and not found. Placeholder rows do not count, because they are never read. */
    lookups: (): CacheLookups => ({ hits, misses }),
  };
}

/** Returns the cache key of a row. The key is unambiguous, because ids contain no spaces. */
function keyOf(accountId: string, id: string): string {
  return `${accountId} ${id}`;
}
