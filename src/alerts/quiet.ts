import type { StoredAlertRule } from '../store/alerts.js';

const minuteMs = 60_000;
const dayMinutes = 24 * 60;

/** Returns the end of the quiet hours that a time is in, in epoch ms. Undefined outside of them. */
export function findQuietEnd({ quietHours }: StoredAlertRule, nowMs: number): number | undefined {
  if (!quietHours) return undefined;
  const { from, to, time_zone: timeZone } = quietHours;
  // Swedish writes the time as 22:00.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, hour: '2-digit', minute: '2-digit' });
  const isQuiet = (ms: number) => {
    const time = format.format(ms);
    return from <= to ? from <= time && time < to : time >= from || time < to;
  };
  if (!isQuiet(nowMs)) return undefined;
  const minutes = (toMinutes(to) - toMinutes(format.format(nowMs)) + dayMinutes) % dayMinutes || dayMinutes;
  const endMs = Math.floor(nowMs / minuteMs) * minuteMs + minutes * minuteMs;
  // Summer time begins in between. When it ends in between, the end found is still quiet, and is corrected then.
  return [60, 30].map((early) => endMs - early * minuteMs).find((ms) => ms > nowMs && !isQuiet(ms)) ?? endMs;
}

const toMinutes = (time: string) => 60 * Number(time.slice(0, 2)) + Number(time.slice(3));
