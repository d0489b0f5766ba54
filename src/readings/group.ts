import type { Grant } from '../contract/grant.js';
import { ProblemError } from '../contract/problem.js';
import type { LoadSums } from '../limits/load-sums.js';
import type { AdmitSession } from '../limits/new-session-limit.js';
import { runInSharedSpan, traceOrigin, type TraceOrigin } from '../observe/in-span.js';
import type { Subject } from '../../packages/score/rows/person.js';
import type { DigestId } from '../store/erased-ids.js';
import { createGroupCommit } from '../store/group-commit.js';
import { isTransient } from '../store/retry.js';
import { createSessionReader } from '../store/sessions.js';
import type { Store } from '../store/store.js';
import { createSubjectReader } from '../store/subjects.js';
import { advanceAccount, type AdvancedAccount, type Outcome } from './account.js';
import { beginProgress, processReading } from './advance.js';
import { findErased, listSubjects } from './load.js';
import type { PreparedReading } from './prepared-reading.js';

/*
 * The story of a reading, in the order in which its files run:
 * 1. `http/app.ts` lists the steps of a request. `http/body.ts` and `http/validate.ts` read and check the body. Of what an
 *    app or hub posts (`http/sources.ts`), `posted-body.ts` and `post.ts` make many readings, each with a sample.
 * 2. `intake.ts`, on the HTTP thread: whether the gate (`view/grant.ts`) grants the session and the person, limits, consent
 *    to read text, topics and sentiment of text, the digest of a resend and the key of a sample.
 * 3. `operations/ingest.ts` hands the prepared reading to `commit` below, `ingest-batch.ts` and `submit-source.ts` several.
 *    Readings of all callers wait for one group.
 * 4. One transaction per group, here. `account.ts` lists the steps of each account. `load.ts` locks sessions, then people,
 *    and finds resent and erased readings. `samples.ts`, only for readings with a sample: which ones replace a stored one.
 * 5. `advance.ts`, pure: the gate again, because only the locked session tells whose it is. A sample is kept or replaced,
 *    then consent (`consent.ts`), evidence, score and state (`score/session.ts`), the person (`person.ts`), state change.
 * 6. `topics.ts`, only if a turn names topics: who is stressed by what, and the activations, which webhooks receive as
 *    `trigger_active`. `alerts.ts`, only with alert rules: when they are due.
 * 7. One round trip writes sessions, people, triggers and the events for webhooks, locks the positions, writes the readings,
 *    and commits. With samples, there are two.
 * 8. After the commit: streams and the delivery worker wake up, and each caller gets its state, restricted by the gate.
 */

/**
 * Maximum number of readings in a transaction. With three topics per reading, the transaction writes about 500 trigger
 * rows.
 */
const groupMax = 160;
const queueMax = 4096;
/** Number of waiting readings from which a second group starts. A smaller group does not justify a transaction. */
const secondFrom = 16;

/**
 * Stores readings of one caller. Resolves with one outcome per reading, in order, when the stored readings are durable.
 * A rejected reading does not affect the others.
 */
export type Commit = (caller: Grant, readings: readonly PreparedReading[]) => Promise<Outcome[]>;

export interface ReadingWriterParts {
  readonly store: Store;
  /** True if the database runs transactions concurrently. */
  readonly hasConcurrentWriters?: boolean;
  readonly admitSession: AdmitSession;
  readonly now: () => number;
  readonly digestId: DigestId;
  /** Counts the load of each group. Absent: not counted. */
  readonly load?: LoadSums;
  /** Called after a commit that added events to the outbox. */
  readonly onEvents: () => void;
  /** Called with the readings of each committed group, and the subject of the session of each reading. */
  readonly onCommitted: (group: readonly PreparedReading[], subjectIds: AdvancedAccount['subjectIds']) => void;
}

export type ReadingWriter = ReturnType<typeof createReadingWriter>;

interface Submitted {
  readonly reading: PreparedReading;
  readonly origin: TraceOrigin;
}

/** Writes the readings of all callers in groups. */
export function createReadingWriter(parts: ReadingWriterParts) {
  const { admitSession, hasConcurrentWriters } = parts;
  const queue = createGroupCommit<Submitted, Outcome>({
    commit: (group) => commitGroup(parts, group),
    isOutage: isTransient,
    groupMax,
    queueMax,
    secondFrom: hasConcurrentWriters ? secondFrom : undefined,
    // Readings of one session are applied in the order in which they were submitted.
    orderKeyOf: ({ reading }) => `${reading.accountId} ${reading.sessionId}`,
    accountOf: ({ reading }) => reading.accountId,
  });
  const commit: Commit = async (caller, readings) => {
    // All readings are admitted before the first is submitted. Otherwise a reading could overtake an earlier one.
    const admissions = readings.map(({ sessionId, isBackfill }) =>
      isBackfill ? undefined : admitSession(caller, sessionId).catch(toProblem),
    );
    const refusals = await Promise.all(admissions);
    const origin = traceOrigin();
    const store = (reading: PreparedReading): Promise<Outcome> => queue.submit({ reading, origin }).catch(toProblem);
    return Promise.all(readings.map((reading, index) => refusals[index] ?? store(reading)));
  };
  return {
    commit,
    /** Returns true if `commit` would store a reading and use its text now. Rejects for a new session above the limit. */
    async mayStore(caller: Grant, reading: PreparedReading): Promise<boolean> {
      await admitSession(caller, reading.sessionId);
      return isAllowed(parts, reading);
    },
    /** Number of queued readings. */
    waiting: queue.waiting,
    /** Rejects new readings. Resolves when the readings in progress are settled. */
    close: queue.close,
  };
}

function toProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  return new ProblemError(isTransient(error) ? 'service_unavailable' : 'internal_error', { cause: error });
}

/** Returns true if a group of this reading alone would accept it with its text. Locks and writes nothing. */
async function isAllowed({ store, now, digestId }: ReadingWriterParts, reading: PreparedReading): Promise<boolean> {
  const { accountId, sessionId } = reading;
  const scope = store.read(accountId);
  const found = await createSessionReader(scope).find(sessionId);
  const sessions = new Map([[sessionId, found ?? { incarnation: '', session: undefined }]]);
  const subjects = new Map<string, Subject | undefined>();
  for (const id of listSubjects([reading], sessions))
    subjects.set(id, await createSubjectReader(scope).findConsenting(id));
  const erasedAtMs = await findErased(scope, [reading], [...subjects.keys()], (it) => digestId(accountId, it));
  const progress = beginProgress({ sessions, subjects, alreadyStored: new Map(), erasedAtMs, nowMs: now() });
  const processed = processReading(progress, reading);
  return processed.kind === 'taken' && !processed.step.computed.dropped?.includes('user_message');
}

async function commitGroup(
  { store, now, digestId, onEvents, onCommitted, load }: ReadingWriterParts,
  group: readonly Submitted[],
): Promise<Outcome[]> {
  const size = { 'ingest.group_size': group.length };
  const origins = group.map(({ origin }) => origin);
  const readings = group.map(({ reading }) => reading);
  const endLoad = load?.begin(...readings.map(({ accountId }) => accountId));
  const { outcomes, subjectIds, hasEvents } = await runInSharedSpan('ingest group', size, origins, () =>
    processGroup(store, readings, now(), digestId),
  ).finally(() => endLoad?.(1));
  onCommitted(readings, subjectIds);
  if (hasEvents) onEvents();
  return outcomes;
}

/**
 * Processes a group of readings in one transaction. Resolves after the commit. If the function rejects, nothing is
 * stored.
 */
export async function processGroup(
  store: Store,
  group: readonly PreparedReading[],
  nowMs: number,
  digestId: DigestId,
): Promise<Omit<AdvancedAccount, 'save'>> {
  return store.transact(async (scopeOf) => {
    const results = new Map<PreparedReading, readonly [Outcome | undefined, string | undefined]>();
    const saves = [];
    let hasEvents = false;
    // Sorted, so that all processes lock rows in the same order.
    for (const accountId of [...new Set(group.map((it) => it.accountId))].sort()) {
      const readings = group.filter((it) => it.accountId === accountId);
      const advanced = await advanceAccount(scopeOf(accountId), readings, nowMs, (it) => digestId(accountId, it));
      for (const [index, reading] of readings.entries())
        results.set(reading, [advanced.outcomes[index], advanced.subjectIds[index]]);
      hasEvents ||= advanced.hasEvents;
      saves.push(advanced.save);
    }
    const outcomes = group.map((reading) => results.get(reading)?.[0] as Outcome);
    const subjectIds = group.map((reading) => results.get(reading)?.[1]);
    // Other processes with readings of these accounts wait for the positions until the commit.
    for (const [index, save] of saves.entries()) await save(index === saves.length - 1);
    return { outcomes, subjectIds, hasEvents };
  });
}
