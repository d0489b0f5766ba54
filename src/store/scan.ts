import type { SomeSessions } from '../contract/whose.js';
import { nameColumns } from './columns.js';
import { findPositions, hintLateIndex, hintSessionIndex, joinInOrder, nearMaxMs, toAccountKey } from './readings.js';
import { chunksOf, selectRows } from './rows.js';
import { inSlices, sliceItems, type SlicedScope } from './scope.js';
import { chooseSessions, selectNewestSessions, type SessionCursor } from './session-list.js';
import { positionsPerMs } from './stream-positions.js';

/** Maximum number of readings that a statement returns, and of sessions that it searches. */
export const pageRows = sliceItems;
const hexDigits = [...'0123456789abcdef'];

/** Timestamps from `fromMs` to before `toMs`, in epoch ms. */
export interface ScanSpan {
  readonly fromMs: number;
  readonly toMs: number;
  /** Present: the newest readings come first, and few are newer than this time, in epoch ms. Absent: the oldest first. */
  readonly newestMs?: number;
}

interface Scanned {
  readonly incarnation: string;
  readonly position: number;
  readonly timestamp_ms: number;
  readonly digest: string;
}

/** Integers from `from` to before `to`. */
type Range = readonly [from: number, to: number];

/** An index of readings. */
interface Source<Row> {
  /** Range of the index that may contain the readings. */
  readonly range: Range;
  readonly perMs: number;
  /** Maximum difference between the place of a reading in the index and its timestamp, in ms. */
  readonly toleranceMs: number;
  /** Reads the rows of a range whose digests begin with a prefix. Undefined if there are more than `pageRows`. */
  readonly read: (range: Range, digestPrefix?: string) => Promise<Row[] | undefined>;
}

/**
 * Yields readings of sessions in the order of their timestamps, at most `pageRows` at a time. Each statement reads
 * entries of an index that follow each other. A scan therefore costs as much as the readings that it yields, whatever
 * else is stored.
 *
 * Live readings are ordered by position, which differs from the timestamp by at most `nearMaxMs`. The scan holds a
 * reading until no earlier one can follow.
 */
export async function* scanReadings<Row extends object>(
  scope: SlicedScope,
  incarnations: Iterable<string>,
  columns: readonly string[],
  span: ScanSpan,
): AsyncGenerator<ReadonlyArray<Row & Scanned>> {
  const sign = span.newestMs === undefined ? 1 : -1;
  const inOrder = (a: Scanned, b: Scanned) =>
    sign * (a.timestamp_ms - b.timestamp_ms || (a.digest > b.digest ? 1 : -1));
  const scans = createSources<Row & Scanned>(scope, [...incarnations], columns, span).map((source) => {
    return { pages: readPages(source, span.newestMs), completeMs: -Infinity };
  });
  let held: Array<Row & Scanned> = [];
  while (scans.some(({ completeMs }) => completeMs < Infinity)) {
    const behind = scans.reduce((a, b) => (b.completeMs < a.completeMs ? b : a));
    const { value } = await behind.pages.next();
    behind.completeMs = value ? value.completeMs : Infinity;
    if (value) held.push(...value.rows);
    const completeMs = Math.min(...scans.map((it) => it.completeMs));
    const isComplete = (row: Scanned) => sign * row.timestamp_ms <= completeMs;
    const complete = held.filter(isComplete).sort(inOrder);
    if (complete.length > 0) held = held.filter((row) => !isComplete(row));
    yield* inSlices(complete, scope.pause);
  }
}

/** Returns the index of live readings and that of late readings. */
function createSources<Row extends Scanned>(
  { knex, accountId, pause }: SlicedScope,
  incarnations: readonly string[],
  columns: readonly string[],
  { fromMs, toMs }: ScanSpan,
): Array<Source<Row>> {
  const account = toAccountKey(accountId);
  const selected = [...new Set(['incarnation', 'position', 'timestamp_ms', 'digest', ...columns])].map(
    (it) => `r.${it}`,
  );
  const createRead = (tables: string, [index, column]: readonly [string, string]): Source<Row>['read'] => {
    return async ([from, to], prefix = '') => {
      const all: Row[] = [];
      for (const some of chunksOf(incarnations, pageRows)) {
        const sql = `select ${selected.join()} from ${tables} where ${index}.account = ?
          and ${index}.incarnation in (${some.map(() => '?').join()}) and ${index}.${column} >= ? and ${index}.${column} < ?
          and ${index}.digest >= ? and ${index}.digest < ? limit ${pageRows + 1}`;
        // Every digest with the prefix sorts before its end, because digests are hexadecimal.
        const bindings = [account, ...some, from, to, prefix, `${prefix}g`];
        const rows = await selectRows<Row>(knex, { sql, bindings });
        await pause(rows.length + some.length);
        if (rows.length > pageRows) return undefined;
        all.push(...rows);
      }
      return all;
    };
  };
  const late = `${hintLateIndex(knex)} ${joinInOrder(knex)} session_readings r on r.account = l.account and r.position = l.position`;
  const [first, last] = [findPositions(fromMs)[0], findPositions(toMs)[1]];
  const readNear = createRead(hintSessionIndex(knex), ['r', 'position']);
  const isNear = ({ timestamp_ms: atMs, position }: Row) => {
    const [earliest, latest] = findPositions(atMs);
    return atMs >= fromMs && atMs < toMs && position >= earliest && position <= latest;
  };
  return [
    {
      ...{ range: [Math.max(0, first), Math.min(last, Number.MAX_SAFE_INTEGER)], perMs: positionsPerMs },
      ...{ toleranceMs: nearMaxMs, read: async (range) => (await readNear(range))?.filter(isNear) },
    },
    { range: [fromMs, toMs], perMs: 1, toleranceMs: 0, read: createRead(late, ['l', 'timestamp_ms']) },
  ];
}

/** Returns the same integers with the opposite sign, so that a scan from the newest reading ascends too. */
function negate([from, to]: Range): Range {
  return [1 - to, 1 - from];
}

/**
 * Yields the rows of an index. `completeMs` is the time before which no later page has a row, negative for a scan from
 * the newest reading. The first statement reads the whole range. If that is too much, the ranges follow the density of
 * the readings.
 */
async function* readPages<Row>({ range, perMs, toleranceMs, read }: Source<Row>, newestMs: number | undefined) {
  const orient = (it: Range) => (newestMs === undefined ? it : negate(it));
  const [from, to] = orient(range);
  const denseFrom = newestMs === undefined ? from : -newestMs * perMs;
  for (let [next, length] = [from, to - from]; next < to;) {
    const end = Math.min(next + length, to);
    let count: number | undefined;
    for await (const rows of readParts(read, orient([next, end]))) {
      count = (count ?? 0) + rows.length;
      yield { rows, completeMs: next / perMs - toleranceMs };
    }
    if (count === undefined) {
      const isSparse = next < denseFrom && denseFrom < end;
      length = isSparse ? denseFrom - next : Math.max(1, Math.floor((end - next) / 8));
      continue;
    }
    if (count < pageRows / 4) length *= 2;
    next = end;
    yield { rows: [], completeMs: next / perMs - toleranceMs };
  }
}

/**
 * Yields the rows of a range: of one with too many rows nothing, unless it cannot be shorter. Many late readings may have
 * one timestamp. Nobody can choose readings whose digests begin alike, because digests are keyed.
 */
async function* readParts<Row>(read: Source<Row>['read'], range: Range, prefix = ''): AsyncGenerator<Row[]> {
  const rows = await read(range, prefix);
  if (rows) yield rows;
  else if (range[1] - range[0] === 1) for (const digit of hexDigits) yield* readParts(read, range, prefix + digit);
}

/**
 * A session was touched at most this long before the time of its newest reading, ms: rounding, readings that are 60 s ahead,
 * and differences between the clocks of processes, with room to spare.
 */
export const touchLagMs = 3_600_000;

/** Returns the ids of the sessions, by incarnation: those that may have readings since a time, epoch ms. */
export async function listSessionIds(
  { knex, accountId, pause }: SlicedScope,
  whose: SomeSessions,
  sinceMs = 0,
): Promise<Map<string, string>> {
  const all = new Map<string, string>();
  let after: SessionCursor | undefined;
  do {
    const query = knex('sessions')
      .where({ account_id: accountId })
      .whereRaw(...chooseSessions(whose))
      // An expression, so that no database searches the sessions of all accounts by this time.
      .whereRaw('touched_at_ms + 0 >= ?', [sinceMs - touchLagMs]);
    const rows: Array<SessionCursor & { readonly sessionId: string }> = await selectNewestSessions(query, after)
      .select(nameColumns('incarnation startedAtMs sessionId'))
      .limit(pageRows);
    for (const { incarnation, sessionId } of rows) all.set(incarnation, sessionId);
    await pause(rows.length);
    after = rows.length === pageRows ? rows.at(-1) : undefined;
  } while (after);
  return all;
}
