import { createHmac, hkdfSync } from 'node:crypto';
import type { AccessEntry, ChainedEntry, Checkpoint } from '../store/access-queries.js';

/** Signs the entries and checkpoints of chains with one key of SECRETS_KEY. */
export type ChainSigner = ReturnType<typeof createChainSigner>;

/** Returns a signer with subkeys (HKDF, RFC 5869) of a secrets key. */
export function createChainSigner(secretsKey: string) {
  const derive = (label: string) => Buffer.from(hkdfSync('sha256', secretsKey, '', label, 32));
  const entryKey = derive('access entries');
  const checkpointKey = derive('access checkpoints');
  const keyCheck = derive('access record check value').toString('hex').slice(0, 16);
  return {
    /** Identifies the key, 16 hex digits. */
    keyCheck,
    /** Returns the code of an entry, which depends on the code of the previous entry (empty for the first one). */
    computeMac: (entry: Omit<ChainedEntry, 'mac'>, previous: string): string =>
      digest(entryKey, [...listFields(entry), previous]),
    sign(checkpoint: Omit<Checkpoint, 'signature' | 'keyCheck'>): Checkpoint {
      const { chainId, seq, mac, atMs } = checkpoint;
      return { ...checkpoint, keyCheck, signature: digest(checkpointKey, [chainId, keyCheck, seq, mac, atMs]) };
    },
  };
}

/** Returns all fields in a fixed order. JSON keeps their limits, so that no two entries have the same text. */
function listFields({ chainId, seq, ...entry }: Omit<ChainedEntry, 'mac'>): unknown[] {
  const { atMs, accountId, keyId, credential, action, operation, subject }: AccessEntry = entry;
  return [chainId, seq, atMs, accountId, keyId, credential, action, operation, subject];
}

function digest(key: Buffer, fields: readonly unknown[]): string {
  return createHmac('sha256', key).update(JSON.stringify(fields)).digest('hex');
}
