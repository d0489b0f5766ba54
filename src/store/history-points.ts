import { history as settings } from '../../generated/spec.js';
import type { HistoryPoint } from '../../packages/score/signals.js';
import { computedColumns, type ComputedRow, decodeResponse, toPoint } from './readings.js';
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
  const toHistoryPoint = isAlone ? toPointAlone : toShownPoint;
  const points = [];
  for await (const rows of scanReadings<ComputedRow>(scope, incarnations, computedColumns, span)) {
    points.push(...rows.map((row) => ({ ...toHistoryPoint(row), incarnation: row.incarnation })));
    if (points.length >= settings.datapoints_max) break;
  }
  return points.slice(0, settings.datapoints_max);
}

const shownParts = ['"topics":["', '"raised":{', '"undisputed":{'];

/** Returns the point of a row with the parts of its response that a history shows. */
function toShownPoint(row: ComputedRow): HistoryPoint {
  // Few readings have one. Decoding the response of each reading would take most of the time of a long history.
  if (!shownParts.some((it) => row.response.includes(it))) return toPoint(row);
  const { topics, raised, undisputed } = decodeResponse(row);
  return { ...toPoint(row), ...(topics && { topics }), ...(raised && { raised }), ...(undisputed && { undisputed }) };
}

/** Returns the point of a row with the score of its session alone. The other parts may follow from another session. */
function toPointAlone(row: ComputedRow): HistoryPoint {
  const point = { ...toShownPoint(row), raised: undefined, undisputed: undefined };
  if (!row.response.includes('"alone":{')) return point;
  const { alone = point } = decodeResponse(row);
  return { ...point, score: alone.score, confidence: alone.confidence, isWeak: alone.isWeak };
}
