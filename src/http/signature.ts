import { createHmac, timingSafeEqual } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { sources as settings } from '../../generated/spec.js';
import type { SignatureScheme, StatedSignature } from '../../packages/recordings/sources/signatures.js';
import { ProblemError } from '../contract/problem.js';

/** A body in parts, which can be read again. */
export type Chunks = AsyncIterable<Buffer> | Iterable<Buffer>;

/**
 * Resolves with true if a stated signature is the one of the secret. The signature covers the inflated body, of which no more
 * than a part is in memory. Compares in constant time.
 */
export async function isSigned(
  scheme: SignatureScheme,
  secret: string,
  stated: StatedSignature,
  { chunks, isZipped }: { readonly chunks: Chunks; readonly isZipped: boolean },
): Promise<boolean> {
  const [, key = ''] = scheme.secret.exec(secret) ?? [];
  const hmac = createHmac('sha256', Buffer.from(key, scheme.keyEncoding)).update(stated.prefix);
  let bytes = 0;
  const add = async (some: Chunks) => {
    for await (const chunk of some) {
      bytes += chunk.length;
      if (bytes > settings.max_bytes) throw new ProblemError('body_too_large');
      hmac.update(chunk);
    }
  };
  await (isZipped ? pipeline(chunks, createGunzip(), add) : add(chunks));
  const computed = hmac.digest();
  const sent = stated.signatures.map((it) => Buffer.from(it, scheme.signatureEncoding));
  return sent.some((it) => it.length === computed.length && timingSafeEqual(it, computed));
}
