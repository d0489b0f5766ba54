import { ProblemError } from './problem.js';

export interface GroupCommitOptions<Item, Outcome> {
  /** Commits a group as a whole; resolves with one outcome an item, in order. */
  readonly commit: (group: readonly Item[]) => Promise<Outcome[]>;
  /** True for an error that every other item would meet as well: then all that wait are rejected with it at once. */
  readonly isOutage: (error: unknown) => boolean;
  /** Most items in one group. */
  readonly groupMax: number;
  /** Most items that wait; one more is refused, so that memory stays bounded while the database is slow. */
  readonly queueMax: number;
}

export interface GroupCommit<Item, Outcome> {
  /**
   * Resolves when the item's group is committed; rejects with what kept it from that, and with service_unavailable
   * when the queue is full or closed.
   */
  submit(item: Item): Promise<Outcome>;
  /** Items that wait for their group. */
  waiting(): number;
  /** Refuses new items and resolves when all that wait have been settled. */
  close(): Promise<void>;
}

interface Waiting<Item, Outcome> {
  readonly item: Item;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Commits items in groups: those that arrive while a commit runs go into the next one together, in order of arrival.
 * One commit at a time, so a durable write to disk is shared by as many items as came during the one before it.
 */
export function createGroupCommit<Item, Outcome>(
  options: GroupCommitOptions<Item, Outcome>,
): GroupCommit<Item, Outcome> {
  const waiting: Array<Waiting<Item, Outcome>> = [];
  let running: Promise<void> | undefined;
  let isClosed = false;

  async function run(): Promise<void> {
    // Lets the requests of this turn of the event loop join the first group.
    await new Promise(setImmediate);
    while (waiting.length > 0) {
      const outage = await settle(waiting.splice(0, options.groupMax), options);
      // The others would only wait for the same error.
      if (outage !== undefined) for (const { reject } of waiting.splice(0)) reject(outage);
    }
    running = undefined;
  }

  return {
    submit(item) {
      if (isClosed || waiting.length >= options.queueMax)
        return Promise.reject(new ProblemError('service_unavailable', { cause: isClosed ? 'closing' : 'queue full' }));
      return new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        running ??= run();
      });
    },
    waiting: () => waiting.length,
    async close() {
      isClosed = true;
      await running;
    },
  };
}

/**
 * When a group fails as a whole, each of its items is tried alone: a bad one then fails alone. Resolves with the
 * error when nothing can be committed at present.
 */
async function settle<Item, Outcome>(
  group: ReadonlyArray<Waiting<Item, Outcome>>,
  options: Pick<GroupCommitOptions<Item, Outcome>, 'commit' | 'isOutage'>,
): Promise<unknown> {
  try {
    const outcomes = await options.commit(group.map(({ item }) => item));
    for (const [index, { resolve }] of group.entries()) resolve(outcomes[index] as Outcome);
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
