import { Redis } from 'ioredis';

/** Time without a response after which a connection is closed, in ms. */
const silenceMs = 2_000;
const backoffMs = { first: 50, max: 2_000 };

/** Opens a connection that reconnects without limit. While Redis is unavailable, every command rejects immediately. */
export function openRedis(url: string): Redis {
  return new Redis(url, {
    enableOfflineQueue: false,
    // The caller has already continued without the response.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: silenceMs,
    socketTimeout: silenceMs,
    retryStrategy: (times) => Math.min(backoffMs.first * 2 ** Math.min(times, 10), backoffMs.max),
  });
}
