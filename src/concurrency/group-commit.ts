import { ProblemError } from '../problem.js';

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
}

export interface GroupCommit<Item, Result> {
  /**
   * Resolves when the item's group is committed. Rejects with the error of the commit, or with service_unavailable when
   * the queue is full or closed.
   */
  submit(item: Item): Promise<Result>;
  /** Number of items that wait for their group. */
  waiting(): number;
  /** Rejects new items. Resolves when all submitted items are settled. */
  close(): Promise<void>;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (outcome: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Commits items in groups. Items that arrive during a commit form the next group, in order of arrival. One durable
 * write to disk therefore serves many items. At most two commits run at the same time.
 */
export function createGroupCommit<Item, Result>(options: GroupCommitOptions<Item, Result>): GroupCommit<Item, Result> {
  const waiting: Array<Waiting<Item, Result>> = [];
  const { secondFrom = Number.POSITIVE_INFINITY } = options;
  const loops = new Set<Promise<void>>();
  let isClosed = false;

  async function run(end: () => void): Promise<void> {
    // Waits for one iteration of the event loop, so that its other requests join the first group.
    await new Promise(setImmediate);
    while (waiting.length >= (loops.size > 1 ? secondFrom : 1)) {
      const outage = await settle(waiting.splice(0, options.groupMax), options);
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
