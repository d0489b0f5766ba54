import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { formatCommandLine } from '../contract/command-line.js';
import type { ListedKey } from '../store/keys.js';
import { formatTimestamp } from './audit.js';

type ExpiredKey = Pick<ListedKey, 'keyId' | 'account' | 'expiresAtMs'>;

const keysMax = 1_000;
/** Minimum time between two log lines about a key, in ms. A client with an expired key cannot fill the log. */
const quietMs = 60 * 60 * 1000;

/** Returns a function that logs the use of an expired key, with the command that creates a new key. */
export function createExpiredKeyLog(log: Logger): (key: ExpiredKey) => void {
  const logged = new LRUCache<string, true>({ max: keysMax, ttl: quietMs });
  return ({ keyId, account, expiresAtMs }) => {
    if (logged.has(keyId)) return;
    logged.set(keyId, true);
    const expired_at = formatTimestamp(expiresAtMs ?? 0);
    log.warn(
      { key_id: keyId, account, expired_at },
      `API key expired: create a new one with \`${formatNewKeyCommand(account)}\``,
    );
  };
}

export function formatNewKeyCommand(account: string): string {
  return formatCommandLine('keys', `create --account ${account}`);
}
