import { LRUCache } from 'lru-cache';

/** What a row holds before anything was written to it. */
export const noVersion = '';

/** A row as its lock finds it. */
export interface LockedRow {
  readonly id: string;
  readonly version: string;
}

/**
 * What rows held, by the version that was written with them: a row that nobody else has written to since need not be
 * read again. Honest across processes, for every transaction writes a version of its own, and what is kept counts only
 * where it has the version that the row has under its lock.
 */
export interface RowCache<Content extends object> {
  /** What the locked rows hold: what is kept where it counts, else what `read` finds. Rows without a version hold nothing. */
  contentsOf(
    accountId: string,
    rows: readonly LockedRow[],
    read: (ids: string[]) => Promise<Map<string, Content>>,
  ): Promise<Map<string, Content | undefined>>;
  /** For when the transaction that wrote it is committed. `size` is in characters of its JSON. */
  keep(accountId: string, row: LockedRow, content: Content, size: number): void;
}

interface Kept<Content> {
  readonly version: string;
  readonly content: Content;
}

/** `sizeMax` is in characters of JSON. */
export function createRowCache<Content extends object>(sizeMax: number): RowCache<Content> {
  const kept = new LRUCache<string, Kept<Content>>({ maxSize: sizeMax });
  return {
    async contentsOf(accountId, rows, read) {
      const contents = new Map<string, Content | undefined>();
      const unknown: string[] = [];
      for (const { id, version } of rows) {
        const known = kept.get(keyOf(accountId, id));
        if (known?.version === version) contents.set(id, known.content);
        else if (version === noVersion) contents.set(id, undefined);
        else unknown.push(id);
      }
      if (unknown.length > 0) for (const [id, content] of await read(unknown)) contents.set(id, content);
      return contents;
    },
    keep(accountId, { id, version }, content, size) {
      kept.set(keyOf(accountId, id), { version, content }, { size: size + 1 });
    },
  };
}

/** Ids hold no spaces. */
function keyOf(accountId: string, id: string): string {
  return `${accountId} ${id}`;
}
