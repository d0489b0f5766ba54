import { createReadStream, createWriteStream, existsSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Config } from '../../config/config.js';
import { findSecretsKeys, buildKeyFilePath, readKeyFile } from '../../config/secrets-key.js';
import { copySqlite, flush, removeSqlite } from '../../store/sqlite-copy.js';
import { requireDatabase } from '../with-store.js';
import { type Bytes, encrypt, type Recipient } from './age.js';
import { buildChecksumPath, type RowCounts, writeChecksum } from './checksum.js';
import { buildDraftPath } from './folder.js';
import { requireSchema } from './mysql-database.js';
import { findServer, startDump } from './mysql-programs.js';

export interface WrittenBackup {
  readonly bytes: number;
  /** `copied`: the secrets key is beside the backup. `elsewhere`: SECRETS_KEY contains it. */
  readonly key: 'copied' | 'absent' | 'elsewhere';
  /** A table, index, trigger or view that the service did not create. */
  readonly foreign: string | undefined;
}

interface Content {
  readonly counts: RowCounts;
  readonly foreign?: string | undefined;
}

/**
 * Writes a backup of the database, its checksum and the key file of an embedded database. Encrypts them for `recipient`.
 */
export async function writeBackup(config: Config, file: string, recipient?: Recipient): Promise<WrittenBackup> {
  const { database, secretsKeys } = config;
  for (const path of [file, buildChecksumPath(file), buildKeyFilePath(file)])
    if (existsSync(path)) throw new Error(`${path} exists already: choose another name`);
  requireDatabase(database);
  const draft = buildDraftPath(file);
  const plain = database.kind === 'sqlite' && recipient ? buildDraftPath(database.file) : draft;
  const cleanUp = () => [draft, plain].forEach(removeSqlite);
  const forget = onSignal(cleanUp);
  try {
    const content =
      database.kind === 'sqlite'
        ? await writeCopy(database.file, { draft, plain, recipient })
        : await writeDump(config, draft, recipient);
    const [secretsKey] = findSecretsKeys(config) ?? [];
    await writeChecksum(file, draft, { secretsKey, counts: content.counts });
    const keyFile =
      database.kind === 'sqlite' && secretsKeys === undefined ? buildKeyFilePath(database.file) : undefined;
    const hasKey = keyFile !== undefined && existsSync(keyFile);
    if (hasKey) await writeKey(readKeyFile(keyFile), buildKeyFilePath(file), recipient);
    flush(draft);
    renameSync(draft, file);
    flush(dirname(file));
    const key = hasKey ? 'copied' : secretsKeys === undefined ? 'absent' : 'elsewhere';
    return { bytes: statSync(file).size, key, foreign: content.foreign };
  } finally {
    cleanUp();
    forget();
  }
}

/**
 * With a recipient, the copy is beside the database until it is encrypted, so that the other folder never contains it.
 */
async function writeCopy(
  databaseFile: string,
  { draft, plain, recipient }: { draft: string; plain: string; recipient: Recipient | undefined },
): Promise<Content> {
  const content = await copySqlite(databaseFile, plain);
  if (recipient) await writeFilePrivately(createReadStream(plain), draft, recipient);
  return content;
}

async function writeDump(config: Config, draft: string, recipient: Recipient | undefined): Promise<Content> {
  const server = await findServer(config);
  await requireSchema(server.url);
  const dump = await startDump(server);
  dump.stdin.end();
  try {
    await writeFilePrivately(dump.stdout, draft, recipient);
  } finally {
    dump.stop();
  }
  await dump.ended;
  return { counts: new Map() };
}

async function writeFilePrivately(content: Bytes, file: string, recipient: Recipient | undefined): Promise<void> {
  await pipeline(
    recipient ? encrypt(content, recipient) : content,
    createWriteStream(file, { mode: 0o600, flags: 'wx' }),
  );
}

async function writeKey(key: string, file: string, recipient: Recipient | undefined): Promise<void> {
  const content = recipient ? await buffer(encrypt(Readable.from([Buffer.from(key)]), recipient)) : key;
  writeFileSync(file, content, { mode: 0o600, flag: 'wx', flush: true });
}

/** Runs `cleanUp` and ends the process when it receives a signal. Returns a function that cancels this. */
function onSignal(cleanUp: () => void): () => void {
  const signals = ['SIGTERM', 'SIGINT'] as const;
  const end = (signal: (typeof signals)[number]) => {
    cleanUp();
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of signals) process.once(signal, end);
  return () => signals.forEach((signal) => process.off(signal, end));
}
