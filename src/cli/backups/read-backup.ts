import { closeSync, createReadStream, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { Readable, type Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Config } from '../../config/config.js';
import { buildKeyFilePath, readKey, readKeyFile } from '../../config/secrets-key.js';
import { type AgeIdentity, type Bytes, decrypt, isAge, isArmored, readIdentities } from './age.js';
import { createDigests, requireChecksum, verifyChecksum } from './checksum.js';
import { type MysqlServer, startLoad } from './mysql-programs.js';

export interface ReadOptions {
  readonly identities: readonly AgeIdentity[];
  readonly unverified: boolean;
}

/** A backup that exists, with the keys that were stored beside it. */
export type FoundBackup = Awaited<ReturnType<typeof findBackup>>;

/** Reads a file of private keys. Errors name the file, and contain no key. */
export async function readIdentityFile(file: string | undefined): Promise<readonly AgeIdentity[]> {
  if (file === undefined) return [];
  try {
    return await readIdentities(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`--key ${file}: ${(error as Error).message}`, { cause: error });
  }
}

/** Finds a backup and its keys: SECRETS_KEY, or else the keys beside the backup and beside the database. */
export async function findBackup(
  { database, secretsKeys }: Config,
  file: string,
  { identities, unverified }: ReadOptions,
) {
  if (!existsSync(file) || !statSync(file).isFile())
    throw new Error(`${file} does not exist or is not a file: pass the path of a backup`);
  if (existsSync(`${file}-wal`))
    throw new Error(`${file}-wal exists, so ${file} is a database, not a backup: copy it with the command backup`);
  const isReadable = !isEncrypted(file) || identities.length > 0;
  if (!unverified) requireChecksum(file);
  if (!isReadable) throw new Error(`${file} is encrypted: pass --key FILE with the private key`);
  const keyFile = buildKeyFilePath(file);
  const key = existsSync(keyFile) ? readKey(await readText(keyFile, identities), keyFile) : undefined;
  const local = database.kind === 'sqlite' ? buildKeyFilePath(database.file) : undefined;
  const besideDatabase = local !== undefined && existsSync(local) ? [readKeyFile(local)] : [];
  const allKeys = [...new Set([...(secretsKeys ?? []), ...(key === undefined ? [] : [key]), ...besideDatabase])];
  // The keys that may have signed the checksum.
  const signingKeys: readonly string[] = secretsKeys ?? (key === undefined ? besideDatabase : [key]);
  return { file, key, signingKeys, allKeys };
}

/**
 * Copies the decrypted content of a backup to a stream. Rejects if the backup does not match its checksum or is damaged.
 * Resolves with the result of the verification.
 */
export async function readBackup(backup: FoundBackup, options: ReadOptions, sink: Writable): Promise<string> {
  const { file, signingKeys } = backup;
  const digests = createDigests(signingKeys);
  const pieces = digests.pass(createReadStream(file) as Bytes);
  const content = isEncrypted(file) ? decryptFile(pieces, file, options.identities) : pieces;
  await pipeline(Readable.from(content, { objectMode: false }), sink);
  if (options.unverified) return 'checksum skipped';
  return verifyChecksum(file, digests.read()) ? 'checksum verified' : 'checksum verified without a secrets key';
}

const closedCodes: ReadonlySet<string | undefined> = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE']);

/** Runs the statements of a dump. */
export async function loadBackup(backup: FoundBackup, options: ReadOptions, server: MysqlServer): Promise<void> {
  const load = await startLoad(server);
  load.stdout.resume();
  try {
    await readBackup(backup, options, load.stdin);
  } catch (error) {
    // The program closes its input when it fails, and states the reason at its end.
    if (closedCodes.has((error as { code?: string }).code)) await load.ended;
    load.stop();
    throw error;
  }
  await load.ended;
}

async function* decryptFile(pieces: Bytes, file: string, identities: readonly AgeIdentity[]): AsyncGenerator<Buffer> {
  try {
    yield* decrypt(pieces, identities);
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`${file}: ${message}, so use another ${/key/.test(message) ? 'key' : 'backup'}`, { cause: error });
  }
}

/** Reads a small file, and decrypts it if it is encrypted. */
async function readText(file: string, identities: readonly AgeIdentity[]): Promise<string> {
  const content = readFileSync(file);
  if (!isEncrypted(file)) return content.toString();
  return text(decryptFile(Readable.from([content]) as Bytes, file, identities));
}

/** Throws if a file is armored. */
function isEncrypted(file: string): boolean {
  const descriptor = openSync(file, 'r');
  try {
    const start = Buffer.alloc(64);
    readSync(descriptor, start);
    if (!isArmored(start)) return isAge(start);
    const decode = `sed '/^-----/d' '${file}' | base64 -d > NEW.age`;
    throw new Error(
      `${file} is an age file in text form, and only the binary form is read. Decode it first: ${decode}`,
    );
  } finally {
    closeSync(descriptor);
  }
}
