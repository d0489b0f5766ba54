import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const cipher = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** The sealed secret is damaged, or was sealed with another key or for another place. */
export class SecretBoxError extends Error {}

/** Encrypts secrets, so that the database and its copies contain no readable secret. */
export interface SecretBox {
  /** Returns the sealed secret in base64. It can only be opened with the same `place`. */
  seal(text: string, place: string): string;
  /** Throws SecretBoxError. */
  open(sealed: string, place: string): string;
}

/** Creates a box that uses AES-256-GCM with a key derived (HKDF, RFC 5869) from the deployment's key. */
export function createSecretBox(secretsKey: string): SecretBox {
  const key = Buffer.from(hkdfSync('sha256', secretsKey, '', 'webhook secrets', keyBytes));
  return {
    seal(text, place) {
      const nonce = randomBytes(nonceBytes);
      const sealing = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(place));
      const parts = [nonce, sealing.update(text, 'utf8'), sealing.final(), sealing.getAuthTag()];
      return Buffer.concat(parts).toString('base64');
    },
    open(sealed, place) {
      const bytes = Buffer.from(sealed, 'base64');
      try {
        const opening = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
        opening.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(-tagBytes));
        const text = Buffer.concat([opening.update(bytes.subarray(nonceBytes, -tagBytes)), opening.final()]);
        return text.toString('utf8');
      } catch (cause) {
        throw new SecretBoxError('a secret cannot be read: has SECRETS_KEY changed?', { cause });
      }
    },
  };
}
