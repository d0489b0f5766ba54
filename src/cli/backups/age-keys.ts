import { createPrivateKey, createPublicKey, diffieHellman, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { decodeBech32, encodeBech32 } from './bech32.js';

/** The text forms of X25519 keys of age, as `age-keygen` writes them. */

/** The public key of a recipient. */
export type Recipient = KeyObject;
/** The private key of a recipient. */
export type Identity = KeyObject;

const keyBytes = 32;

/** Returns a new key pair in its text form. */
export function createAgeKey(): { readonly recipient: string; readonly identity: string } {
  const { privateKey, publicKey } = generateKeyPairSync('x25519');
  const secret = privateKey.export({ type: 'pkcs8', format: 'der' }).subarray(-keyBytes);
  return {
    recipient: encodeBech32('age', toRaw(publicKey)),
    identity: encodeBech32('age-secret-key-', secret).toUpperCase(),
  };
}

/** Returns the key of a text like `age1…`. Throws if it is none. */
export function readRecipient(text: string): Recipient {
  const raw = decodeBech32('age', text);
  const key = raw?.length === keyBytes ? toPublicKey(raw) : undefined;
  if (key && agree(generateKeyPairSync('x25519').privateKey, key)) return key;
  throw new Error('it must be a public key of age: "age1" and 58 characters');
}

/** Returns the keys of an identity file, as `age-keygen` writes it. Throws if there is none. */
export function readIdentities(text: string): Identity[] {
  const lines = text.split('\n').map((line) => line.trim());
  const identities = lines.filter((line) => line !== '' && !line.startsWith('#')).map(readIdentity);
  if (identities.length === 0) throw new Error('it contains no line "AGE-SECRET-KEY-1…"');
  return identities;
}

function readIdentity(line: string): Identity {
  const raw = decodeBech32('age-secret-key-', line);
  if (raw?.length !== keyBytes) throw new Error('it must contain lines "AGE-SECRET-KEY-1…" and comments only');
  const der = Buffer.concat([Buffer.from('302e020100300506032b656e04220420', 'hex'), raw]);
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

/** Returns the shared secret. Undefined if the public key has a low order, so that the secret would be zero. */
export function agree(privateKey: KeyObject, publicKey: KeyObject): Buffer | undefined {
  try {
    return diffieHellman({ privateKey, publicKey });
  } catch {
    return undefined;
  }
}

export function toPublicKey(raw: Buffer): KeyObject {
  const der = Buffer.concat([Buffer.from('302a300506032b656e032100', 'hex'), raw]);
  return createPublicKey({ key: der, format: 'der', type: 'spki' });
}

/** Returns the 32 bytes of a public key. */
export function toRaw(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' }).subarray(-keyBytes);
}
