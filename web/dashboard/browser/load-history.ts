import type { History } from '../../../clients/typescript/src/index.js';
import type { Service } from './service.js';

export interface HistoryLoader {
  load(minutes: number): Promise<void>;
  /** Requests the newest part again after a reading. Requests within the pause are combined. */
  refresh(): void;
}

/**
 * The stream carries no heart rates, so the history of the last minutes is requested while readings arrive. The pause
 * between two requests is longer for an account with a monthly quota.
 */
const pauseMs = { unlimited: 4_000, quota: 15_000 };
/** The trend that the page shows covers these minutes. */
export const refreshedMinutes = 5;

export function loadHistory(
  service: Service,
  sessionId: string,
  signal: AbortSignal,
  onLoad: (history: History) => void,
): HistoryLoader {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastMs = Number.NEGATIVE_INFINITY;
  const load = async (minutes: number) => {
    lastMs = performance.now();
    onLoad(await service.history(sessionId, minutes, { signal }));
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
    refresh() {
      const pause = service.usage.month ? pauseMs.quota : pauseMs.unlimited;
      timer ??= setTimeout(later, Math.max(300, lastMs + pause - performance.now()));
    },
  };
}
