import { hash, randomInt, randomUUID } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomCharacters = 32;
const displayCharacters = 7;

/** Returns an unguessable id: the prefix and up to 32 hex characters. */
export function newId(prefix: 'acc' | 'key' | 'aud', characters: number): string {
  return `${prefix}_${randomUUID().replaceAll('-', '').slice(0, characters)}`;
}

/** Returns a new key: `sk_` and 32 random base62 characters, about 190 bits. */
export function makeKey(): string {
  const random = Array.from({ length: randomCharacters }, () => alphabet[randomInt(alphabet.length)]);
  return `sk_${random.join('')}`;
}

/** Returns false if the text cannot be a key of this service. Such a text needs no lookup. */
export function looksLikeKey(text: string): boolean {
  return /^sk_[0-9A-Za-z]{32}$/.test(text);
}

/** Returns the SHA-256 of a key in hex. A plain hash is enough, because keys are long and random. */
export function hashOfKey(key: string): string {
  return hash('sha256', key);
}

/** Returns the first characters of a key: enough to distinguish keys in a list, too few to guess the rest. */
export function toDisplayPrefix(key: string): string {
  return key.slice(0, displayCharacters);
}
