import { history as settings } from '../../generated/spec.js';
import type { HistoryPoint } from '../../packages/score/signals.js';
import { computedColumns, type ComputedRow, toPoint } from './readings.js';
import { rowFormats } from './row-formats.js';
import { scanReadings } from './scan.js';
import type { SlicedScope } from './scope.js';

/** A window of a history in epoch ms: after `afterMs`, up to `untilMs`, which is open by default. */
export interface HistoryWindow {
  readonly afterMs: number;
  readonly untilMs?: number | undefined;
  readonly nowMs: number;
}

/**
 * Returns the newest `datapoints_max` history points of sessions in a window, newest first, each with its incarnation.
 * With `isAlone`, their scores have the evidence of the session alone.
 */
export async function findPoints(
  scope: SlicedScope,
  incarnations: Iterable<string>,
  { afterMs, untilMs = Number.MAX_SAFE_INTEGER - 1, nowMs }: HistoryWindow,
  isAlone = false,
): Promise<Array<HistoryPoint & { readonly incarnation: string }>> {
  const span = { fromMs: afterMs + 1, toMs: untilMs + 1, newestMs: Math.min(untilMs, nowMs) };
  const toHistoryPoint = isAlone ? toPointAlone : toPointWithTopics;
  const points = [];
  for await (const rows of scanReadings<ComputedRow>(scope, incarnations, computedColumns, span)) {
    points.push(...rows.map((row) => ({ ...toHistoryPoint(row), incarnation: row.incarnation })));
    if (points.length >= settings.datapoints_max) break;
  }
  return points.slice(0, settings.datapoints_max);
}

/** Returns the point of a row with the topics of the reading. */
function toPointWithTopics(row: ComputedRow): HistoryPoint {
  // Few readings have topics. Decoding the response of each reading would take most of the time of a long history.
  if (!row.response.includes('"topics":["')) return toPoint(row);
  const { topics } = rowFormats.response.decode(row.response);
  return { ...toPoint(row), ...(topics && { topics }) };
}

/** Returns the point of a row with the score of its session alone. */
function toPointAlone(row: ComputedRow): HistoryPoint {
  const point = toPointWithTopics(row);
  if (!row.response.includes('"alone":{')) return point;
  const { alone = point } = rowFormats.response.decode(row.response);
  return { ...point, score: alone.score, confidence: alone.confidence, isWeak: alone.isWeak };
}
