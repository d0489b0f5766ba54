import type { PositionRange } from '../store/readings-by-position.js';
import { positionsPerMs } from '../store/stream-positions.js';

/** A place in the readings of an account. Plain data, because it is sent to another thread. */
export interface Position extends PositionRange {
  /** Length of the range of positions in which the readings of a person are searched. */
  readonly span: number;
}

export interface Page<Row> {
  /** Empty if the searched ranges contain no reading. */
  readonly found: readonly Row[];
  /** Undefined after the last page. */
  readonly next: Position | undefined;
}

/** Maximum number of position ranges that one page searches, so that a page takes milliseconds. */
const searchesMax = 16;
/** Length of the first range of positions that is searched for the readings of a person. */
export const firstSpan = 60_000 * positionsPerMs;

/**
 * Searches at most `max` readings of a person in ranges of positions. `read` returns the readings of a range in any
 * order, or `max + 1` of them if there are more. A range limits the work of the database, because the readings of several
 * sessions must be sorted. Its length follows the density of the readings.
 */
export async function searchPerson<Row extends { readonly position: number }>(
  read: (range: PositionRange) => Promise<Row[]>,
  from: Position,
  max: number,
): Promise<Page<Row>> {
  let { after, span } = from;
  for (let searches = 0; after < from.through && searches < searchesMax; searches += 1) {
    const through = Math.min(after + span, from.through);
    const found = await read({ after, through });
    if (found.length > max) {
      span = Math.max(1, Math.floor((through - after) / 4));
      continue;
    }
    after = through;
    if (found.length < max / 4) span *= 2;
    const next = after < from.through ? { ...from, after, span } : undefined;
    if (found.length > 0) return { found: found.sort((a, b) => a.position - b.position), next };
  }
  return { found: [], next: after < from.through ? { ...from, after, span } : undefined };
}
