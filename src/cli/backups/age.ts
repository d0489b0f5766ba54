import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';

/**
 * The file format age, version 1 (https://c2sp.org/age), for X25519 keys. The program `age` reads and writes the same
 * files. A missing or changed part is detected.
 */

const version = 'age-encryption.org/v1';
const damaged = 'it is truncated or damaged';
/** Maximum length of a header in bytes, enough for hundreds of recipients. The library reads a header of any length. */
const headerMax = 65_536;

export type Bytes = AsyncIterable<Buffer>;
/** A public key, e.g. `age1…`. */
export type Recipient = string;
/** A private key, e.g. `AGE-SECRET-KEY-1…`. */
export type AgeIdentity = string;

export function isAge(start: Buffer): boolean {
  return start.toString('latin1').startsWith(`${version}\n`);
}

/** Returns true for a file in the text form of age, which `decrypt` does not read. */
export function isArmored(start: Buffer): boolean {
  return start.toString('latin1').trimStart().startsWith('-----BEGIN AGE ENCRYPTED FILE-----');
}

export async function* encrypt(content: Bytes, recipient: Recipient): AsyncGenerator<Buffer> {
  yield* toBuffers(await createEncrypter(recipient).encrypt(toStream(content)));
}

/** Yields the decrypted content. Throws if no identity decrypts the file, or if the file is truncated or modified. */
export async function* decrypt(file: Bytes, identities: readonly AgeIdentity[]): AsyncGenerator<Buffer> {
  const decrypter = new Decrypter();
  for (const identity of identities) decrypter.addIdentity(identity);
  try {
    yield* toBuffers(await decrypter.decrypt(toStream(requireHeader(file))));
  } catch (error) {
    // The file cannot be read. The library throws errors without a code.
    if (typeof (error as { code?: unknown }).code === 'string') throw error;
    const isOfAnother = (error as Error).message.startsWith('no identity matched');
    throw new Error(isOfAnother ? 'it is encrypted for another key' : damaged, { cause: error });
  }
}

export async function createAgeKey(): Promise<{ readonly recipient: Recipient; readonly identity: AgeIdentity }> {
  const identity = await generateX25519Identity();
  return { recipient: await identityToRecipient(identity), identity };
}

/** Returns a public key, e.g. `age1…`. Throws if the text is not a public key, or if its point has a low order. */
export async function readRecipient(text: string): Promise<Recipient> {
  try {
    // The library also knows other kinds of keys, whose texts are longer.
    if (text.length !== 62) throw new Error('not an X25519 key');
    await createEncrypter(text).encrypt('');
    return text;
  } catch (error) {
    const form = '"age1" and 58 more characters: create one with backup --create-key FILE';
    throw new Error(`must be an age public key, ${form}`, { cause: error });
  }
}

/** Returns the keys of an identity file, as `age-keygen` writes it. Throws if there is none. */
export async function readIdentities(text: string): Promise<AgeIdentity[]> {
  const lines = text.split('\n').map((line) => line.trim());
  const identities = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (identities.length === 0) throw new Error('it contains no line "AGE-SECRET-KEY-1…"');
  const areKeys = identities.map((it) =>
    identityToRecipient(it).then(
      () => it.startsWith('AGE-SECRET-KEY-1'),
      () => false,
    ),
  );
  if ((await Promise.all(areKeys)).includes(false))
    throw new Error('it must contain lines "AGE-SECRET-KEY-1…" and comments only');
  return identities;
}

function createEncrypter(recipient: Recipient): Encrypter {
  const encrypter = new Encrypter();
  encrypter.addRecipient(recipient);
  return encrypter;
}

/** Yields a file in which the header ends within `headerMax`. Throws for another one before it reads more. */
async function* requireHeader(file: Bytes): AsyncGenerator<Buffer> {
  let start: Buffer = Buffer.alloc(0);
  let isRead = false;
  for await (const piece of file) {
    if (isRead) yield piece;
    else {
      start = Buffer.concat([start, piece]);
      // One character per byte. The last line of a header is its MAC.
      isRead = /\n--- .{43}\n/.test(start.subarray(0, headerMax).toString('latin1'));
      if (isRead) yield start;
      else if (start.length > headerMax) break;
    }
  }
  if (!isRead) throw new Error(damaged);
}

function toStream(content: Bytes): ReadableStream<Uint8Array> {
  // `Readable.toWeb` of Node 20 throws outside of the promise when the reader ends early.
  return ReadableStream.from(content) as ReadableStream<Uint8Array>;
}

async function* toBuffers(stream: ReadableStream<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const { buffer, byteOffset, byteLength } of stream) yield Buffer.from(buffer, byteOffset, byteLength);
}
