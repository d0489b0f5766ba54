import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Logger } from 'pino';

/** How long one count may take; afterwards memory decides. */
const answerMs = 250;
/** A connection that stays silent for so long is given up. */
const silenceMs = 2_000;
const backoffMs = { first: 50, max: 2_000 };
/** How long the start waits to learn whether Redis is there. */
const startMs = 1_000;

/** Hears what the store counted: the key, its count, and the time left of its window (ms). */
type Hear = (key: string, count: number, leftMs: number) => void;

/** Counts for all processes together. */
export interface CountStore {
  /** As RateLimiterRedis takes a client; what it is told is heard as well. */
  heardBy(hear: Hear): object;
  /** Resolves, soon in any case, with whether the store can be used now. */
  isThere(): Promise<boolean>;
  close(): void;
}

type Count = (args: readonly string[]) => Promise<[count: number, leftMs: number]>;

/**
 * Connects, now or whenever Redis is there, and again for ever. An outage is logged once, when it begins and when it
 * ends; meanwhile every command fails at once.
 */
export function connectRedis(url: string, log: Logger): CountStore {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    // A count that is not answered in time has been decided otherwise.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: silenceMs,
    socketTimeout: silenceMs,
    retryStrategy: (times) => Math.min(backoffMs.first * 2 ** Math.min(times, 10), backoffMs.max),
  });
  const presence = watchPresence(redis, log);
  return {
    heardBy: (hear) => ({
      get status() {
        return presence.isSilent ? 'silent' : redis.status;
      },
      defineCommand: (name: string, definition: { lua: string; numberOfKeys: number }) =>
        redis.defineCommand(name, definition),
      async rlflxIncr(args: readonly string[]) {
        const count = (redis as unknown as { rlflxIncr: Count }).rlflxIncr(args);
        const answer = await inTime(count, presence);
        hear(args[0] ?? '', ...answer);
        return answer;
      },
    }),
    async isThere() {
      const endsAtMs = performance.now() + startMs;
      while (redis.status !== 'ready' && !presence.isAway && performance.now() < endsAtMs) await sleep(10);
      return redis.status === 'ready';
    },
    close() {
      presence.end();
      redis.disconnect();
    },
  };
}

type Presence = ReturnType<typeof watchPresence>;

function watchPresence(redis: Redis, log: Logger) {
  let isAway = false;
  let isSilent = false;
  let isEnded = false;
  const leave = (error?: unknown) => {
    if (!isAway && !isEnded) log.warn({ err: error }, 'Redis unavailable: each process counts requests separately');
    isAway = true;
  };
  const comeBack = () => {
    if (isAway) log.info('Redis available again: all processes count requests together');
    isAway = false;
  };
  redis.on('error', leave).on('close', leave).on('ready', comeBack);
  return {
    leave,
    comeBack,
    get isAway() {
      return isAway;
    },
    /** True from an answer that did not come until Redis, or its connection, shows a sign. */
    get isSilent() {
      return isSilent;
    },
    fallSilent() {
      if (isSilent) return;
      isSilent = true;
      leave(new Error(`Redis did not respond within ${answerMs} ms`));
      void redis
        .ping()
        .then(comeBack, leave)
        .finally(() => (isSilent = false));
    },
    end() {
      isEnded = true;
    },
  };
}

/** Rejects when the answer takes too long. One that arrived while this process was busy is read first. */
function inTime<T>(answer: Promise<T>, presence: Presence): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      presence.fallSilent();
      reject(new Error('Redis did not answer in time'));
    };
    const timer = setTimeout(() => (waiting = setImmediate(giveUp)), answerMs);
    let waiting: NodeJS.Immediate | undefined;
    const settle = (act: () => void) => {
      clearTimeout(timer);
      clearImmediate(waiting);
      act();
    };
    answer.then(
      (value) => settle(() => (presence.comeBack(), resolve(value))),
      (error: unknown) => settle(() => (presence.leave(error), reject(error))),
    );
  });
}
