import { createHmac, hkdfSync } from 'node:crypto';

/** Returns a subkey (HKDF, RFC 5869) of a key of SECRETS_KEY. Each purpose has its own label. */
export function deriveKey(secretsKey: string, label: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secretsKey, '', label, 32));
}

/** Returns a function that digests text with a subkey of each key: 32 hex digits per key, in the order of the keys. */
export function createDigest(secretsKeys: readonly string[], label: string): (text: string) => string[] {
  const keys = secretsKeys.map((key) => deriveKey(key, label));
  return (text) => keys.map((key) => createHmac('sha256', key).update(text).digest('hex').slice(0, 32));
}
