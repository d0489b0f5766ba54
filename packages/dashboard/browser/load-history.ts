import type { History, Person } from '../../client/src/index.js';
import type { Service } from './service.js';

/**
 * The stream carries no signals, so the history of the last minutes is requested while readings arrive. The pause
 * between two requests is longer for an account with a monthly quota.
 */
const pauseMs = { unlimited: 4_000, quota: 15_000 };
/** The trend that the page shows covers these minutes. */
export const refreshedMinutes = 5;

export function loadHistory(
  service: Service,
  of: string | Person,
  signal: AbortSignal,
  onLoad: (history: History, untilMs: number | undefined) => void,
) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastMs = Number.NEGATIVE_INFINITY;
  const load = async (minutes: number, untilMs?: number) => {
    lastMs = performance.now();
    const until = untilMs === undefined ? {} : { until: new Date(untilMs).toISOString() };
    onLoad(await service.history(of, minutes, { signal, ...until }), untilMs);
  };
  const later = () => {
    timer = undefined;
    // A hidden page requests nothing. It catches up when it is shown.
    if (document.hidden) return document.addEventListener('visibilitychange', later, { once: true });
    return void load(refreshedMinutes).catch(() => undefined);
  };
  signal.addEventListener('abort', () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', later);
  });
  return {
    load,
    /** Requests the newest part again after a reading. Requests within the pause are combined. */
    refresh() {
      const pause = service.usage.month ? pauseMs.quota : pauseMs.unlimited;
      timer ??= setTimeout(later, Math.max(300, lastMs + pause - performance.now()));
    },
  };
}
