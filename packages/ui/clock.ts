/** A smaller difference is within the precision of the Date header. */
const toleranceMs = 2_000;
let aheadMs = 0;

/** Returns the time of the service, epoch ms. The browser's clock may differ: timestamps and ages follow the service. */
export function nowMs(): number {
  return Date.now() - aheadMs;
}

/** Learns the difference between both clocks from the `Date` header of a response. */
export function learnClock(headers: Headers): void {
  const differenceMs = Date.now() - Date.parse(headers.get('date') ?? '');
  if (Number.isFinite(differenceMs)) aheadMs = Math.abs(differenceMs) > toleranceMs ? differenceMs : 0;
}
