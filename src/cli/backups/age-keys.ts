import { createPrivateKey, createPublicKey, diffieHellman, generateKeyPairSync, type KeyObject } from 'node:crypto';

/** The text forms of X25519 keys of age, as `age-keygen` writes them. */

export type Recipient = KeyObject;
export type AgeIdentity = KeyObject;

const keyBytes = 32;

export function createAgeKey(): { readonly recipient: string; readonly identity: string } {
  const { privateKey, publicKey } = generateKeyPairSync('x25519');
  const secret = privateKey.export({ type: 'pkcs8', format: 'der' }).subarray(-keyBytes);
  return {
    recipient: encodeBech32('age', toRaw(publicKey)),
    identity: encodeBech32('age-secret-key-', secret).toUpperCase(),
  };
}

/** Parses a public key, e.g. `age1…`. Throws if the text is not a public key. */
export function readRecipient(text: string): Recipient {
  const raw = decodeBech32('age', text);
  const key = raw?.length === keyBytes ? toPublicKey(raw) : undefined;
  if (key && computeSharedSecret(generateKeyPairSync('x25519').privateKey, key)) return key;
  throw new Error('must be an age public key, "age1" and 58 more characters: create one with backup --create-key FILE');
}

/** Returns the keys of an identity file, as `age-keygen` writes it. Throws if there is none. */
export function readIdentities(text: string): AgeIdentity[] {
  const lines = text.split('\n').map((line) => line.trim());
  const identities = lines.filter((line) => line !== '' && !line.startsWith('#')).map(readIdentity);
  if (identities.length === 0) throw new Error('it contains no line "AGE-SECRET-KEY-1…"');
  return identities;
}

function readIdentity(line: string): AgeIdentity {
  const raw = decodeBech32('age-secret-key-', line);
  if (raw?.length !== keyBytes) throw new Error('it must contain lines "AGE-SECRET-KEY-1…" and comments only');
  const der = Buffer.concat([Buffer.from('302e020100300506032b656e04220420', 'hex'), raw]);
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

/** Returns the shared secret. Undefined if the public key has a low order, so that the secret would be zero. */
export function computeSharedSecret(privateKey: KeyObject, publicKey: KeyObject): Buffer | undefined {
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

export function toRaw(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' }).subarray(-keyBytes);
}

/** Bech32 (BIP 173) without its limit on the length: the text form of age keys. */

const alphabet = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const generator = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
const checksumLength = 6;

/** Returns the lower-case text of `data` with a prefix. */
export function encodeBech32(prefix: string, data: Uint8Array): string {
  const values = regroup([...data], 8, 5, true) as number[];
  const checksum = polymod([...expand(prefix), ...values, ...new Array<number>(checksumLength).fill(0)]) ^ 1;
  const rest = Array.from({ length: checksumLength }, (_, index) => (checksum >> (5 * (5 - index))) & 31);
  return `${prefix}1${[...values, ...rest].map((value) => alphabet[value]).join('')}`;
}

/** Returns the data of a text with this prefix. Undefined if the text is invalid. */
export function decodeBech32(prefix: string, text: string): Buffer | undefined {
  const lower = text.toLowerCase();
  if (text !== lower && text !== text.toUpperCase()) return undefined;
  if (!lower.startsWith(`${prefix}1`)) return undefined;
  const values = [...lower.slice(prefix.length + 1)].map((character) => alphabet.indexOf(character));
  if (values.length < checksumLength || values.includes(-1)) return undefined;
  if (polymod([...expand(prefix), ...values]) !== 1) return undefined;
  const data = regroup(values.slice(0, -checksumLength), 5, 8, false);
  return data && Buffer.from(data);
}

function expand(prefix: string): number[] {
  const codes = [...prefix].map((character) => character.charCodeAt(0));
  return [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)];
}

function polymod(values: readonly number[]): number {
  let sum = 1;
  for (const value of values) {
    const top = sum >>> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ value;
    generator.forEach((term, bit) => (sum ^= (top >>> bit) & 1 ? term : 0));
  }
  return sum >>> 0;
}

/** Converts groups of `from` bits to groups of `to` bits. Returns undefined if the padding is not valid. */
function regroup(values: readonly number[], from: number, to: number, pads: boolean): number[] | undefined {
  const groups: number[] = [];
  let bits = 0;
  let waiting = 0;
  for (const value of values) {
    waiting = (waiting << from) | value;
    for (bits += from; bits >= to;) groups.push((waiting >> (bits -= to)) & ((1 << to) - 1));
    waiting &= (1 << bits) - 1;
  }
  if (!pads) return bits >= from || waiting !== 0 ? undefined : groups;
  return bits === 0 ? groups : [...groups, waiting << (to - bits)];
}
