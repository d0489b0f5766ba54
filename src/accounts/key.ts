import { hash, randomInt, randomUUID } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomCharacters = 32;
const displayCharacters = 7;

/** Returns an id that nobody can guess: the prefix and up to 32 hex characters. */
export function newId(prefix: 'acc' | 'key' | 'aud', characters: number): string {
  return `${prefix}_${randomUUID().replaceAll('-', '').slice(0, characters)}`;
}

/** A new key: `sk_` and 32 random base62 characters, about 190 bits. */
export function makeKey(): string {
  const random = Array.from({ length: randomCharacters }, () => alphabet[randomInt(alphabet.length)]);
  return `sk_${random.join('')}`;
}

/** What could not have been made by us need not be looked up. */
export function looksLikeKey(text: string): boolean {
  return /^sk_[0-9A-Za-z]{32}$/.test(text);
}

/** Keys are random and long, so a plain SHA-256 tells nothing about them. 64 hex characters. */
export function hashOfKey(key: string): string {
  return hash('sha256', key);
}

/** Enough to tell keys apart in a list, far too little to use one. */
export function displayPrefixOf(key: string): string {
  return key.slice(0, displayCharacters);
}
