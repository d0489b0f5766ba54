import type { Redis } from 'ioredis';
import type { Logger } from 'pino';

/** Tracks whether Redis is available, by its connection and its responses. Logs each state transition once. */
export interface AvailabilityTracker {
  /** True from the first error until the next response. */
  readonly isLost: boolean;
  /** True from a missing response until Redis responds or the connection ends. */
  readonly isSilent: boolean;
  markAvailable(): void;
  markLost(error?: unknown): void;
  /** Marks Redis as unavailable until it responds to a ping. */
  markSilent(error: Error): void;
  /** Stops logging, because the service closes the connection. */
  end(): void;
}

/** Log messages of the two state transitions. */
export interface AvailabilityMessages {
  readonly lost: string;
  readonly restored: string;
}

export function trackAvailability(redis: Redis, log: Logger, messages: AvailabilityMessages): AvailabilityTracker {
  const state = { isLost: false, isSilent: false, isEnded: false };
  const markLost = (error?: unknown) => {
    if (!state.isLost && !state.isEnded) log.warn({ err: error }, messages.lost);
    state.isLost = true;
  };
  const markAvailable = () => {
    if (state.isLost) log.info(messages.restored);
    state.isLost = false;
  };
  redis.on('error', markLost).on('close', markLost).on('ready', markAvailable);
  return {
    get isLost() {
      return state.isLost;
    },
    get isSilent() {
      return state.isSilent;
    },
    markAvailable,
    markLost,
    markSilent(error) {
      if (state.isSilent) return;
      state.isSilent = true;
      markLost(error);
      void redis
        .ping()
        .then(markAvailable, markLost)
        .finally(() => (state.isSilent = false));
    },
    end() {
      state.isEnded = true;
    },
  };
}
