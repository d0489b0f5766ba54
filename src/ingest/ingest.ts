import type { Answer } from '../domain/session.js';
import type { Store } from '../store/store.js';
import { isTransient } from '../store/transient.js';
import { advanceGroup, type Outcome } from './advance.js';
import { createGroupCommit } from '../group-commit.js';
import { inSharedSpan, type TraceOrigin, traceOrigin } from '../in-span.js';
import type { PreparedReading } from './prepared-reading.js';

/** Bounds a transaction: with three topics each, some 500 rows of triggers. */
const groupMax = 160;
const queueMax = 4096;

export interface IngestParts {
  readonly store: Store;
  readonly now: () => number;
  /** Told when a commit has put events into the outbox. */
  readonly onEvents: () => void;
  /** Told the size of every group that was committed. */
  readonly observeGroup: (size: number) => void;
}

/** Takes readings in: durable before they are answered, written in groups. */
export interface Ingest {
  /** Resolves with the state of the session after the reading; rejects with the ProblemError that refuses it. */
  submit(submitted: PreparedReading): Promise<Answer>;
  /** Readings that wait for their group. */
  waiting(): number;
  /** Refuses new readings and resolves when those under way are settled. */
  close(): Promise<void>;
}

interface Submitted {
  readonly reading: PreparedReading;
  readonly origin: TraceOrigin;
}

export function createIngest(parts: IngestParts): Ingest {
  const groups = createGroupCommit<Submitted, Outcome>({
    commit: (group) => commitGroup(parts, group),
    isOutage: isTransient,
    groupMax,
    queueMax,
  });
  return {
    async submit(reading) {
      const outcome = await groups.submit({ reading, origin: traceOrigin() });
      if ('refusal' in outcome) throw outcome.refusal;
      return outcome.answer;
    },
    waiting: groups.waiting,
    close: groups.close,
  };
}

async function commitGroup(
  { store, now, onEvents, observeGroup }: IngestParts,
  group: readonly Submitted[],
): Promise<Outcome[]> {
  const size = { 'ingest.group_size': group.length };
  const origins = group.map(({ origin }) => origin);
  const readings = group.map(({ reading }) => reading);
  const outcomes = await inSharedSpan('ingest group', size, origins, () => advanceGroup(store, readings, now()));
  observeGroup(group.length);
  if (outcomes.some((outcome) => 'answer' in outcome && outcome.isTold)) onEvents();
  return outcomes;
}
