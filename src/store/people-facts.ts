import type { Trigger } from '../../packages/score/rows/trigger.js';
import { rowFormats } from './row-formats.js';
import { selectRows } from './rows.js';
import { scanReadings, touchLagMs } from './scan.js';
import type { SlicedScope } from './scope.js';

/** A reading of a person. */
export interface Point {
  readonly timestampMs: number;
  readonly score: number;
  readonly confidence: number;
}

const columns = ['stress_score', 'confidence'] as const;
type Row = Readonly<Record<(typeof columns)[number], number>>;

/**
 * Returns the readings of people after a time (epoch ms), newest first: of each person down to the first one below the score
 * that `floors` has for this person. Its statements do not depend on the number of people.
 */
export async function findHighPoints(
  scope: SlicedScope,
  floors: ReadonlyMap<string, number>,
  afterMs: number,
  nowMs: number,
): Promise<Map<string, Point[]>> {
  const points = new Map([...floors.keys()].map((id): [string, Point[]] => [id, []]));
  if (floors.size === 0) return points;
  const people = await findPeople(scope, [...floors.keys()], afterMs);
  const span = { fromMs: afterMs + 1, toMs: Number.MAX_SAFE_INTEGER, newestMs: nowMs };
  const open = new Set(people.values());
  for await (const rows of scanReadings<Row>(scope, people.keys(), columns, span)) {
    for (const { incarnation, timestamp_ms: timestampMs, stress_score: score, confidence } of rows) {
      const id = people.get(incarnation) ?? '';
      points.get(id)?.push({ timestampMs, score, confidence });
      if (confidence === 0 || score < (floors.get(id) ?? Infinity)) open.delete(id);
    }
    if (open.size === 0) break;
  }
  return points;
}

/** Returns the people of the sessions that may have readings after a time, by incarnation. */
async function findPeople({ knex, accountId }: SlicedScope, ids: readonly string[], afterMs: number) {
  // An expression, so that no database searches the sessions of all accounts by this time.
  const sql = `select incarnation, subject_id from sessions
    where account_id = ? and subject_id in (${ids.map(() => '?').join()}) and touched_at_ms + 0 >= ?`;
  const bindings = [accountId, ...ids, afterMs - touchLagMs];
  type Session = Readonly<Record<'incarnation' | 'subject_id', string>>;
  const rows = await selectRows<Session>(knex, { sql, bindings });
  return new Map(rows.map((row) => [row.incarnation, row.subject_id]));
}

/** Returns the changes by which the active topics of people became active. */
export async function findActivations({ knex, accountId }: SlicedScope, ids: readonly string[]) {
  const rows: Array<{ subject_id: string; status_changes: string }> = await knex('triggers')
    .where({ account_id: accountId, status: 'active' })
    .whereIn('subject_id', ids)
    .select('subject_id', 'status_changes');
  const activations = new Map<string, Trigger['changes']>();
  for (const { subject_id, status_changes } of rows) {
    const { changes } = rowFormats.statusChanges.decode(status_changes);
    activations.set(subject_id, [...(activations.get(subject_id) ?? []), ...changes.slice(-1)]);
  }
  return activations;
}
