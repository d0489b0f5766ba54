import type { ComputedState } from '../domain/session.js';
import type { DigestId } from '../store/erased-ids.js';
import type { Store } from '../store/store.js';
import { isTransient } from '../store/transient.js';
import { advanceGroup, type ReadingOutcome } from './advance.js';
import { createGroupCommit } from '../concurrency/group-commit.js';
import { inSharedSpan, type TraceOrigin, traceOrigin } from '../tracing/in-span.js';
import type { PreparedReading } from './prepared-reading.js';

/**
 * Maximum number of readings in a transaction. With three topics per reading, the transaction writes about 500 trigger
 * rows.
 */
const groupMax = 160;
const queueMax = 4096;
/** Number of waiting readings from which a second group starts. A smaller group does not justify a transaction. */
const secondFrom = 16;

export interface IngestParts {
  readonly store: Store;
  /** True if the database runs transactions concurrently. */
  readonly hasConcurrentWriters?: boolean;
  readonly now: () => number;
  readonly digestId: DigestId;
  /** Called after a commit that added events to the outbox. */
  readonly onEvents: () => void;
  /** Called with the readings of each committed group. */
  readonly onCommitted: (group: readonly PreparedReading[]) => void;
  /** Called with the size of each committed group. */
  readonly observeGroup: (size: number) => void;
}

/** Accepts readings and writes them in groups. Each reading is durable before its response is sent. */
export interface Ingest {
  /**
   * Resolves with the state of the session after the reading. Rejects with a ProblemError if the reading is rejected.
   */
  submit(submitted: PreparedReading): Promise<ComputedState>;
  /** Number of queued readings. */
  waiting(): number;
  /** Rejects new readings. Resolves when the readings in progress are settled. */
  close(): Promise<void>;
}

interface Submitted {
  readonly reading: PreparedReading;
  readonly origin: TraceOrigin;
}

export function createIngest(parts: IngestParts): Ingest {
  const groups = createGroupCommit<Submitted, ReadingOutcome>({
    commit: (group) => commitGroup(parts, group),
    isOutage: isTransient,
    groupMax,
    queueMax,
    secondFrom: parts.hasConcurrentWriters ? secondFrom : undefined,
    // Readings of one session are applied in the order in which they were submitted.
    orderKeyOf: ({ reading }) => `${reading.accountId} ${reading.sessionId}`,
    accountOf: ({ reading }) => reading.accountId,
  });
  return {
    async submit(reading) {
      const outcome = await groups.submit({ reading, origin: traceOrigin() });
      if ('refusal' in outcome) throw outcome.refusal;
      return outcome.computed;
    },
    waiting: groups.waiting,
    close: groups.close,
  };
}

async function commitGroup(
  { store, now, digestId, onEvents, onCommitted, observeGroup }: IngestParts,
  group: readonly Submitted[],
): Promise<ReadingOutcome[]> {
  const size = { 'ingest.group_size': group.length };
  const origins = group.map(({ origin }) => origin);
  const readings = group.map(({ reading }) => reading);
  const outcomes = await inSharedSpan('ingest group', size, origins, () =>
    advanceGroup(store, readings, now(), digestId),
  );
  observeGroup(group.length);
  onCommitted(readings);
  if (outcomes.some((outcome) => 'computed' in outcome && outcome.hasEvents)) onEvents();
  return outcomes;
}
