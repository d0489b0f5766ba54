import { summaries, timestamps } from '../../generated/spec.js';
import type { RetentionTimes } from '../config/config.js';
import { floorHour, stateMs } from '../score/summary.js';
import type { PurgeEdges } from '../store/count-expired.js';

export const hourMs = 60 * 60 * 1000;
export const dayMs = 24 * hourMs;
const aheadMaxMs = timestamps.max_ahead_seconds * 1000;

/** The edges of a purge, and whether hours are stored. */
export type PurgePlan = PurgeEdges & { readonly storesHours: boolean };

/** Returns the times before which a purge at `nowMs` deletes data, epoch ms. */
export function purgeEdges(
  { readingsMs, idleSessionsMs, deliveriesMs, summariesMs, accessesMs, feedbackMs, erasuresMs }: RetentionTimes,
  nowMs: number,
): PurgePlan {
  const storesHours = summariesMs > 0;
  const readings = storesHours ? summarizedBefore(nowMs - readingsMs) : nowMs - readingsMs;
  return {
    storesHours,
    readings,
    sessions: Math.min(nowMs - idleSessionsMs, storesHours ? readings - aheadMaxMs : nowMs),
    hours: nowMs - summariesMs,
    feedback: nowMs - feedbackMs,
    deliveries: nowMs - deliveriesMs,
    accesses: nowMs - accessesMs,
    erasures: nowMs - erasuresMs,
  };
}

/**
 * Returns the time before which readings are deleted, if hours are stored. Only complete hours are stored, so ingest must
 * have rejected readings of the hour for a while (`grace_seconds`). The state of a reading may last into the next hour.
 * Readings therefore stay up to 70 minutes longer.
 */
function summarizedBefore(acceptedSinceMs: number): number {
  return floorHour(acceptedSinceMs - summaries.grace_seconds * 1000) - stateMs;
}
