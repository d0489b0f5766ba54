const minuteMs = 60_000;

const seconds = Array.from({ length: 60 }, (_, second) => String(second).padStart(2, '0'));
const fractions = Array.from({ length: 1000 }, (_, ms) => `.${String(ms).padStart(3, '0')}Z`);

/**
 * Creates a function that formats timestamps (epoch ms) like `toISOString`. It caches the minute and precomputes
 * seconds and milliseconds. An hour of history contains thousands of timestamps, so this reduces garbage collection
 * pressure.
 */
export function createTimestampFormatter(): (timestampMs: number) => string {
  let minute: number | undefined;
  let written = '';
  return (timestampMs) => {
    const current = Math.floor(timestampMs / minuteMs);
    if (current !== minute) written = new Date(current * minuteMs).toISOString().slice(0, 'yyyy-mm-ddThh:mm:'.length);
    minute = current;
    const rest = timestampMs - current * minuteMs;
    const second = Math.floor(rest / 1000);
    return written + ((seconds[second] as string) + (fractions[rest - second * 1000] as string));
  };
}
