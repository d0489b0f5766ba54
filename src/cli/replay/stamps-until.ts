import { timestamps } from '../../../generated/spec.js';

/** Seconds between the timestamps of consecutive windows, unless the service's age limit requires less. */
const spacingSeconds = 24;
/** Margin below the age limit, s. It prevents a slow response from making the next window too old. */
const slackSeconds = 30;

/**
 * Returns the timestamps of `count` windows, epoch ms. The last timestamp is the current time. The more windows, the
 * closer they are.
 */
export function stampsUntil(nowMs: number, count: number): number[] {
  const room = (timestamps.max_age_seconds - slackSeconds) / Math.max(1, count - 1);
  const spacingMs = Math.min(spacingSeconds, room) * 1000;
  return Array.from({ length: count }, (_, index) => Math.round(nowMs - (count - 1 - index) * spacingMs));
}
