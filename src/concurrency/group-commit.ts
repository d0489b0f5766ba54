import { ProblemError } from '../problem.js';

export interface GroupCommitOptions<Item, Result> {
  /** Commits a group as a whole; resolves with one outcome per item, in order. */
  readonly commit: (group: readonly Item[]) => Promise<Result[]>;
  /** True for an error that every item would get. All waiting items are then rejected with it. */
  readonly isOutage: (error: unknown) => boolean;
  /** Maximum number of items in a group. */
  readonly groupMax: number;
  /**
   * Maximum number of waiting items. Further ones are rejected, so that memory stays bounded while the database is
   * slow.
   */
  readonly queueMax: number;
  /**
   * Starts a second group during a commit once this many items wait. Absent: one group at a time. Worthwhile only if
   * the database runs transactions concurrently.
   */
  readonly secondFrom?: number | undefined;
}

export interface GroupCommit<Item, Result> {
  /**
   * Resolves when the item's group is committed. Rejects with the error of the commit, or with service_unavailable when
   * the queue is full or closed.
   */
  submit(item: Item): Promise<Result>;
  /** Number of items that wait for their group. */
  waiting(): number;
  /** Rejects new items; resolves when all submitted items are settled. */
  close(): Promise<void>;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (outcome: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Commits items in groups. Items that arrive during a commit form the next group, in order of arrival. At most two
 * commits run at a time, so one durable write to disk serves all items that arrived during the previous one.
 */
export function createGroupCommit<Item, Result>(options: GroupCommitOptions<Item, Result>): GroupCommit<Item, Result> {
  const waiting: Array<Waiting<Item, Result>> = [];
  const { secondFrom = Number.POSITIVE_INFINITY } = options;
  const loops = new Set<Promise<void>>();
  let isClosed = false;

  async function run(end: () => void): Promise<void> {
    // The requests of this iteration of the event loop join the first group.
    await new Promise(setImmediate);
    while (waiting.length >= (loops.size > 1 ? secondFrom : 1)) {
      const outage = await settle(waiting.splice(0, options.groupMax), options);
      // The waiting items would get the same error.
      if (outage !== undefined) for (const { reject } of waiting.splice(0)) reject(outage);
    }
    // Synchronously, so that the next item starts a loop.
    end();
  }

  function runMore(): void {
    if (loops.size > 1 || (loops.size === 1 && waiting.length < secondFrom)) return;
    const loop = run(() => loops.delete(loop));
    loops.add(loop);
  }

  return {
    submit(item) {
      if (isClosed || waiting.length >= options.queueMax)
        return Promise.reject(new ProblemError('service_unavailable', { cause: isClosed ? 'closing' : 'queue full' }));
      return new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        runMore();
      });
    },
    waiting: () => waiting.length,
    async close() {
      isClosed = true;
      await Promise.all(loops);
    },
  };
}

/**
 * Commits a group. When the group fails, each item is committed separately, so that only the bad item fails. Resolves
 * with the error of an outage, which every item would get.
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
