import { ProblemError } from '../contract/problem.js';

export interface GroupCommitOptions<Item, Result> {
  /** Commits a group as a whole. Resolves with one result per item, in order. */
  readonly commit: (group: readonly Item[]) => Promise<Result[]>;
  /** Returns true for an error that every item would get. All waiting items are then rejected with the same error. */
  readonly isOutage: (error: unknown) => boolean;
  /** Maximum number of items in a group. */
  readonly groupMax: number;
  /**
   * Maximum number of waiting items. Further items are rejected, so that memory stays bounded while the database is
   * slow.
   */
  readonly queueMax: number;
  /**
   * Number of waiting items from which a second group is committed concurrently. Absent: one group at a time. Useful
   * only if the database runs transactions concurrently.
   */
  readonly secondFrom?: number | undefined;
  /**
   * Returns the key of items that depend on their order. Two groups that are committed concurrently never contain items
   * with the same key. Absent: items do not depend on their order.
   */
  readonly orderKeyOf?: (item: Item) => string;
  /**
   * Returns the account of an item. A group takes the waiting items of all accounts alternately. Items with the same
   * order key belong to one account. Absent: a group takes the items in order of arrival.
   */
  readonly accountOf?: (item: Item) => string;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (outcome: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Commits items in groups. Items that arrive during a commit form the next group. One durable write to disk therefore
 * serves many items. At most two commits run at the same time. Items with the same order key are committed in order of
 * arrival. An account with many items does not delay the items of other accounts: each of them gets its share of the next
 * group.
 */
export function createGroupCommit<Item, Result>(options: GroupCommitOptions<Item, Result>) {
  const waiting: Array<Waiting<Item, Result>> = [];
  const { secondFrom = Number.POSITIVE_INFINITY } = options;
  const loops = new Set<Promise<void>>();
  /** Order keys of the items that are being committed. */
  const busy = new Set<string>();
  let isClosed = false;

  async function run(end: () => void): Promise<void> {
    // Waits for one iteration of the event loop, so that its other requests join the first group.
    await new Promise(setImmediate);
    while (waiting.length >= (loops.size > 1 ? secondFrom : 1)) {
      const group = takeGroup(waiting, busy, options);
      // All waiting items depend on the group of the other loop. The other loop commits them afterwards.
      if (group.length === 0) break;
      const keys = options.orderKeyOf ? group.map(({ item }) => options.orderKeyOf?.(item) ?? '') : [];
      for (const key of keys) busy.add(key);
      const outage = await settle(group, options);
      for (const key of keys) busy.delete(key);
      // The waiting items would get the same error.
      if (outage !== undefined) for (const { reject } of waiting.splice(0)) reject(outage);
    }
    // Called synchronously, so that the next item starts a new loop.
    end();
  }

  function runMore(): void {
    if (loops.size > 1 || (loops.size === 1 && waiting.length < secondFrom)) return;
    const loop = run(() => loops.delete(loop));
    loops.add(loop);
  }

  return {
    /**
     * Resolves when the item's group is committed. Rejects with the error of the commit, or with service_unavailable when
     * the queue is full or closed.
     */
    submit(item: Item): Promise<Result> {
      if (isClosed || waiting.length >= options.queueMax)
        return Promise.reject(new ProblemError('service_unavailable', { cause: isClosed ? 'closing' : 'queue full' }));
      return new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        runMore();
      });
    },
    waiting: () => waiting.length,
    /** Rejects new items. Resolves when all submitted items are settled. */
    async close(): Promise<void> {
      isClosed = true;
      await Promise.all(loops);
    },
  };
}

/** Removes the next group from `waiting`. Skips items whose order key is busy. */
function takeGroup<Item, Result>(
  waiting: Array<Waiting<Item, Result>>,
  busy: ReadonlySet<string>,
  { groupMax, orderKeyOf, accountOf }: GroupCommitOptions<Item, Result>,
): Array<Waiting<Item, Result>> {
  const isFree = ({ item }: Waiting<Item, Result>) => !orderKeyOf || busy.size === 0 || !busy.has(orderKeyOf(item));
  const free = waiting.filter(isFree);
  const inOrder = accountOf && free.length > groupMax ? alternate(free, ({ item }) => accountOf(item)) : free;
  const group = new Set(inOrder.slice(0, groupMax));
  const rest = waiting.filter((it) => !group.has(it));
  waiting.splice(0, waiting.length, ...rest);
  return [...group];
}

/** Sorts entries so that those of all accounts alternate. The entries of one account keep their order. */
function alternate<Entry>(entries: readonly Entry[], accountOf: (entry: Entry) => string): Entry[] {
  const counts = new Map<string, number>();
  const ranked = entries.map((entry) => {
    const account = accountOf(entry);
    const rank = counts.get(account) ?? 0;
    counts.set(account, rank + 1);
    return { entry, rank };
  });
  // The sort is stable: of several entries with the same rank, the oldest comes first.
  return ranked.sort((a, b) => a.rank - b.rank).map(({ entry }) => entry);
}

/**
 * Commits a group. When the group fails, each item is committed separately, so that only the invalid item fails.
 * Resolves with an error only if it is an outage, which every item would get.
 */
async function settle<Item, Result>(
  group: ReadonlyArray<Waiting<Item, Result>>,
  options: Pick<GroupCommitOptions<Item, Result>, 'commit' | 'isOutage'>,
): Promise<unknown> {
  try {
    const outcomes = await options.commit(group.map(({ item }) => item));
    for (const [index, { resolve }] of group.entries()) resolve(outcomes[index] as Result);
    return undefined;
  } catch (error) {
    const isOutage = options.isOutage(error);
    if (group.length > 1 && !isOutage) {
      for (const one of group) await settle([one], options);
      return undefined;
    }
    for (const { reject } of group) reject(error);
    return isOutage ? error : undefined;
  }
}
