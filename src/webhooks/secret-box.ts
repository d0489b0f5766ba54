import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const cipher = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** Thrown if a sealed secret is damaged, or was sealed with another key or for another `place`. */
export class SecretBoxError extends Error {}

/** Encrypts secrets, so that the database and its copies contain no readable secret. */
export interface SecretBox {
  /** Returns the sealed secret in base64. It can only be opened with the same `place`. */
  seal(text: string, place: string): string;
  /** Returns the secret in clear text. Throws SecretBoxError if it cannot be opened with this key and `place`. */
  open(sealed: string, place: string): string;
  /** Returns the secret sealed with the newest key, or undefined if it already is. Throws SecretBoxError. */
  reseal(sealed: string, place: string): string | undefined;
}

/**
 * Creates a box that uses AES-256-GCM with keys derived (HKDF, RFC 5869) from the deployment's keys. The first key seals,
 * and every key opens.
 */
export function createSecretBox(secretsKeys: readonly [string, ...string[]]): SecretBox {
  const [newest, ...earlier] = secretsKeys.map(createBox) as [KeyBox, ...KeyBox[]];
  const open = (sealed: string, place: string): string => {
    for (const box of [newest, ...earlier]) {
      const text = box.tryOpen(sealed, place);
      if (text !== undefined) return text;
    }
    throw new SecretBoxError('a webhook secret cannot be decrypted: check whether SECRETS_KEY has changed');
  };
  return {
    seal: newest.seal,
    open,
    reseal: (sealed, place) =>
      newest.tryOpen(sealed, place) === undefined ? newest.seal(open(sealed, place), place) : undefined,
  };
}

interface KeyBox extends Pick<SecretBox, 'seal'> {
  /** Returns undefined if the secret is damaged or was sealed with another key. */
  tryOpen(sealed: string, place: string): string | undefined;
}

function createBox(secretsKey: string): KeyBox {
  const key = Buffer.from(hkdfSync('sha256', secretsKey, '', 'webhook secrets', keyBytes));
  return {
    seal(text, place) {
      const nonce = randomBytes(nonceBytes);
      const sealing = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(place));
      const parts = [nonce, sealing.update(text, 'utf8'), sealing.final(), sealing.getAuthTag()];
      return Buffer.concat(parts).toString('base64');
    },
    tryOpen(sealed, place) {
      const bytes = Buffer.from(sealed, 'base64');
      try {
        const opening = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
        opening.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(-tagBytes));
        const text = Buffer.concat([opening.update(bytes.subarray(nonceBytes, -tagBytes)), opening.final()]);
        return text.toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
}
