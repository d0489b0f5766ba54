import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { computeSharedSecret, type AgeIdentity, toPublicKey, toRaw, type Recipient } from './age-keys.js';

/**
 * The file format age, version 1 (https://c2sp.org/age), for X25519 keys. The program `age` reads and writes the same
 * files. The content is encrypted in chunks, and a missing or changed chunk is detected.
 */

const version = 'age-encryption.org/v1';
const cipher = 'chacha20-poly1305';
const chunkBytes = 65_536;
const tagBytes = 16;
const nonceBytes = 16;
/** Maximum length of a header in bytes, enough for hundreds of recipients. */
const headerMax = 65_536;
const zeroNonce = Buffer.alloc(12);

export type Bytes = AsyncIterable<Buffer>;

export function isAge(start: Buffer): boolean {
  return start.toString('latin1').startsWith(`${version}\n`);
}

/** Returns true for a file in the text form of age, which `decrypt` does not read. */
export function isArmored(start: Buffer): boolean {
  return start.toString('latin1').trimStart().startsWith('-----BEGIN AGE ENCRYPTED FILE-----');
}

export async function* encrypt(content: Bytes, recipient: Recipient): AsyncGenerator<Buffer> {
  const fileKey = randomBytes(16);
  const header = `${version}\n${wrap(fileKey, recipient)}---`;
  yield Buffer.from(`${header} ${toText(computeMac(fileKey, header))}\n`);
  const nonce = randomBytes(nonceBytes);
  yield nonce;
  const key = derive(fileKey, nonce, 'payload');
  let index = 0;
  for await (const { chunk, isLast } of inChunks(content, chunkBytes)) {
    const sealing = createCipheriv(cipher, key, makeNonce(index++, isLast), { authTagLength: tagBytes });
    yield Buffer.concat([sealing.update(chunk), sealing.final(), sealing.getAuthTag()]);
  }
}

/** Yields the decrypted content. Throws if no identity decrypts the file, or if the file is truncated or modified. */
export async function* decrypt(file: Bytes, identities: readonly AgeIdentity[]): AsyncGenerator<Buffer> {
  const pieces = file[Symbol.asyncIterator]();
  const { fileKey, rest } = await readHeader(pieces, identities);
  const key = derive(fileKey, rest.subarray(0, nonceBytes), 'payload');
  const payload = resume(rest.subarray(nonceBytes), pieces);
  let index = 0;
  for await (const { chunk, isLast } of inChunks(payload, chunkBytes + tagBytes)) {
    const content = open(key, makeNonce(index, isLast), chunk);
    if (content === undefined || (content.length === 0 && index > 0)) throw new Error(damaged);
    index += 1;
    yield content;
  }
}

const damaged = 'it is truncated or damaged';

/** Reads the header and the nonce. Returns the key of the file, and the bytes from the nonce on. */
async function readHeader(pieces: AsyncIterator<Buffer>, identities: readonly AgeIdentity[]) {
  let start: Buffer = Buffer.alloc(0);
  for (;;) {
    // One character per byte, so that positions in the text are positions in the file.
    const found = /^([^]*?\n---) ([A-Za-z0-9+/]{43})\n/.exec(start.subarray(0, headerMax).toString('latin1'));
    const end = found?.[0].length ?? Infinity;
    if (found && start.length >= end + nonceBytes) {
      const [, header = '', mac = ''] = found;
      const fileKey = unwrap(header, identities);
      if (!timingSafeEqual(computeMac(fileKey, header), toBytes(mac))) throw new Error(damaged);
      return { fileKey, rest: start.subarray(end) };
    }
    const next = await pieces.next();
    if (next.done || start.length > headerMax) throw new Error(damaged);
    start = Buffer.concat([start, next.value]);
  }
}

async function* resume(first: Buffer, pieces: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) yield next.value;
}

/** Splits a stream into chunks of `bytes`. The last chunk is shorter or full, and empty only if the stream is empty. */
async function* inChunks(stream: Bytes, bytes: number): AsyncGenerator<{ chunk: Buffer; isLast: boolean }> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of stream) {
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    for (; rest.length > bytes; rest = rest.subarray(bytes)) yield { chunk: rest.subarray(0, bytes), isLast: false };
  }
  yield { chunk: rest, isLast: true };
}

function makeNonce(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(index, 5, 6);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

/** Returns the lines of a recipient, which contain the encrypted key of the file. */
function wrap(fileKey: Buffer, recipient: Recipient): string {
  const { privateKey, publicKey } = generateKeyPairSync('x25519');
  const share = toRaw(publicKey);
  const key = deriveWrapKey(diffieHellman({ privateKey, publicKey: recipient }), share, recipient);
  const sealing = createCipheriv(cipher, key, zeroNonce, { authTagLength: tagBytes });
  const body = Buffer.concat([sealing.update(fileKey), sealing.final(), sealing.getAuthTag()]);
  return `-> X25519 ${toText(share)}\n${toText(body)}\n`;
}

function unwrap(header: string, identities: readonly AgeIdentity[]): Buffer {
  for (const [, share = '', body = ''] of header.matchAll(/^-> X25519 ([A-Za-z0-9+/]{43})\n([A-Za-z0-9+/]{43})$/gm))
    for (const identity of identities) {
      const raw = toBytes(share);
      const shared = computeSharedSecret(identity, toPublicKey(raw));
      if (!shared) throw new Error(damaged);
      const fileKey = open(deriveWrapKey(shared, raw, createPublicKey(identity)), zeroNonce, toBytes(body));
      if (fileKey) return fileKey;
    }
  throw new Error('it is encrypted for another key');
}

function deriveWrapKey(shared: Buffer, share: Buffer, recipient: Recipient): Buffer {
  return derive(shared, Buffer.concat([share, toRaw(recipient)]), `${version}/X25519`);
}

/** Returns the content of a chunk. Undefined if the key does not fit or the chunk was changed. */
function open(key: Buffer, nonce: Buffer, chunk: Buffer): Buffer | undefined {
  if (chunk.length < tagBytes) return undefined;
  const opening = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes });
  opening.setAuthTag(chunk.subarray(-tagBytes));
  try {
    return Buffer.concat([opening.update(chunk.subarray(0, -tagBytes)), opening.final()]);
  } catch {
    return undefined;
  }
}

function computeMac(fileKey: Buffer, header: string): Buffer {
  return createHmac('sha256', derive(fileKey, Buffer.alloc(0), 'header'))
    .update(header, 'latin1')
    .digest();
}

function derive(secret: Buffer, salt: Buffer, info: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, 32));
}

function toText(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

/** Reads base64 without padding. Throws if another text has the same bytes. */
function toBytes(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (toText(bytes) !== text) throw new Error(damaged);
  return bytes;
}
