import { enums, sessionList as settings } from '../../generated/spec.js';
import type { Schema } from '../contract/contract.js';
import { isToken } from '../contract/grant.js';
import { type Names, toNames, writeNames } from '../contract/whose.js';
import { findCause } from '../../packages/score/cause.js';
import { staleAfterMs } from '../../packages/score/evidence.js';
import type { ComputedState } from '../../packages/score/rows/session.js';
import { toEvidence, toStateSince } from '../contract/state-reading.js';
import { findBand } from '../../packages/score/states.js';
import type { SlicedScope } from '../store/scope.js';
import { listSessions as findSessions, type SessionCursor } from '../store/session-list.js';
import { type SessionPoint, createSnapshotReader, type SnapshotSession } from '../store/session-snapshot.js';
import { findStreamHeads } from '../store/stream-positions.js';
import type { OperationRecord, Services } from './operation.js';
import { createCursors, digits, findPage } from './page.js';

type Query = NonNullable<Parameters<OperationRecord<'listSessions', 'store' | 'now'>['handle']>[1]['query']>;
type Order = Schema<'SessionOrder'>;

/**
 * Returns a page of sessions in the order of their starts. With `order`, the order is that of a snapshot of their
 * states.
 */
export const listSessions: OperationRecord<'listSessions', 'store' | 'now' | 'pause'> = {
  personalData: 'reads',
  tool: {
    name: 'list_sessions',
    title: 'List sessions',
    description:
      'List sessions with their latest state, newest first by default. A state is outdated after valid_until. Continue with next_cursor until it is null.',
    listsIds: true,
  },
  async handle(services, { query, whose }, caller) {
    const isSnapshot = query.state !== undefined || (query.sort ?? 'started') !== 'started';
    const list = isSnapshot ? listSnapshot : listStarted;
    const { accountId } = caller;
    const scope = services.store.read(accountId, services.pause);
    const page = await list(services, scope, query, toNames(whose));
    return { status: 200, body: { ...page, ...(isSnapshot && !isToken(caller) && { account_id: accountId }) } };
  },
};

interface Listed {
  readonly sessionId: string;
  readonly incarnation: string;
  readonly subjectId?: string | undefined;
  readonly startedAtMs: number;
  readonly computed: ComputedState;
}

const startedPlace = { startedAtMs: digits, incarnation: '[0-9a-f]{12}' };
const startedCursors = createCursors<SessionCursor>(startedPlace);

async function listStarted(
  _: unknown,
  scope: SlicedScope,
  { cursor, points }: Query,
  names: Names,
): Promise<Schema<'SessionList'>> {
  const { page, next_cursor } = await findPage(startedCursors, settings.page_size, cursor, (after, max) =>
    findSessions(scope, { names, after }, max),
  );
  const listed = page.map((it) => ({ ...it, subjectId: it.session.subjectId, computed: it.session.latest }));
  return { sessions: await toSummaries(scope, listed, points, Number.MAX_SAFE_INTEGER), next_cursor };
}

/** A moment of an account: the state of its sessions after all readings up to a position. */
interface Moment {
  readonly atMs: number;
  readonly position: number;
}

/** The place of a session in a sorted snapshot. */
interface Place extends SessionCursor {
  readonly rank: number;
}

type Ranked = Place & SnapshotSession & { readonly state: Schema<'SessionState'> };

async function listSnapshot(
  { store, now }: Pick<Services, 'store' | 'now'>,
  scope: SlicedScope,
  { state, sort = 'started', cursor, points }: Query,
  names: Names,
): Promise<Schema<'SessionList'>> {
  const cursors = createSnapshotCursors(sort);
  const from = cursor === undefined ? undefined : cursors.read(cursor);
  // A cursor is also the place of its page, so that only its moment is taken over.
  const { atMs, position }: Moment = from ?? {
    atMs: now(),
    position: (await store.run((knex) => findStreamHeads(knex, [scope.accountId])))[0]?.position ?? 0,
  };
  const found = await createSnapshotReader(scope).sessionsAt(position, names, settings.snapshot_sessions_max);
  const sessions = found.map((session) => rank(session, sort, atMs));
  const isListed = (it: Ranked) => (state?.includes(it.state) ?? true) && (!from || compare(from, it) < 0);
  const rest = sessions.filter(isListed).sort(compare);
  const page = rest.slice(0, settings.page_size);
  const last = page.at(-1);
  return {
    sessions: await toSummaries(scope, await createSnapshotReader(scope).complete(page), points, position),
    next_cursor: rest.length > page.length && last ? cursors.write({ ...last, atMs, position, sort }) : null,
    as_of: new Date(atMs).toISOString(),
    states: countStates(sessions),
  };
}

/** Exceeds every score, so that unknown states rank after all others, and sessions that have ended after these. */
const liveRank = 1_000;

/** Adds the state at a time (epoch ms), and the rank: the session with the highest rank comes first. */
function rank(session: SnapshotSession, sort: Order, atMs: number): Ranked {
  const { timestampMs, startedAtMs, score } = session;
  const hasEnded = atMs >= timestampMs + staleAfterMs;
  const state = hasEnded ? 'ended' : toEvidence(session).evidence ? 'unknown' : findBand(score).state;
  const live = hasEnded ? 0 : state === 'unknown' ? 1 : 2;
  const ranks = { started: startedAtMs, score: live * liveRank + score, activity: timestampMs };
  return { ...session, state, rank: ranks[sort] };
}

function compare(a: Place, b: Place): number {
  const byStart = b.rank - a.rank || b.startedAtMs - a.startedAtMs;
  return byStart || Number(b.incarnation > a.incarnation) - Number(b.incarnation < a.incarnation);
}

function countStates(sessions: readonly Ranked[]): Schema<'SessionStateCounts'> {
  const counts = Object.fromEntries(enums.SessionState.map((state) => [state, 0])) as Schema<'SessionStateCounts'>;
  for (const { state } of sessions) counts[state] += 1;
  return counts;
}

async function toSummaries(
  scope: SlicedScope,
  sessions: readonly Listed[],
  pointsMax: number | undefined,
  position: number,
): Promise<Array<Schema<'SessionSummary'>>> {
  const incarnations = sessions.map(({ incarnation }) => incarnation);
  const points = pointsMax && (await createSnapshotReader(scope).pointsOf(incarnations, position, pointsMax));
  return sessions.map((session) => {
    const { sessionId, subjectId, startedAtMs, computed, incarnation } = session;
    const { state } = findBand(computed.score);
    const cause = findCause(computed.reason, state);
    return {
      session_id: sessionId,
      ...writeNames({ subjectId }),
      started_at: new Date(startedAtMs).toISOString(),
      timestamp: new Date(computed.timestampMs).toISOString(),
      state,
      stress_score: computed.score,
      confidence: computed.confidence,
      ...toEvidence(computed),
      ...toStateSince(computed),
      ...(cause && { cause }),
      model_version: computed.model,
      valid_until: new Date(computed.timestampMs + staleAfterMs).toISOString(),
      ...(points && { points: points.get(incarnation)?.map(toPoint) ?? [] }),
    };
  });
}

function toPoint({ timestampMs, score }: SessionPoint): Schema<'SessionPoint'> {
  return { timestamp: new Date(timestampMs).toISOString(), stress_score: score };
}

/** The cursors of snapshots in an order. A snapshot has further pages of its own moment. */
function createSnapshotCursors(sort: Order) {
  const moment = { sort, atMs: '\\d{1,13}', position: '\\d{1,16}' };
  return createCursors<Moment & Place & { readonly sort: Order }>({ ...moment, rank: digits, ...startedPlace });
}
