import { writeFileSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import type { Config } from '../../config/config.js';
import { readDuration } from '../keys.js';
import type { RestoreOptions } from './restore.js';

interface BackupOptions {
  readonly to?: string;
  /** Time between two backups in ms. */
  readonly every?: number;
  readonly keep?: number;
  readonly publicKey?: string;
  readonly verify?: string;
  readonly key?: string;
  readonly createKey?: string;
}

const everyMsMax = 7 * 86_400_000;

/** Creates the command `backup`. `endWithParent` is called before a run that lasts until a signal. */
export function createBackupCommand(configure: () => Config, endWithParent: () => void): Command {
  return new Command('backup')
    .description('back up the database while the service runs: once, or regularly')
    .argument(
      '[file]',
      'a new file. Its checksum and its secrets key are written beside it: <file>.checksum, <file>.key',
    )
    .option('--to <folder>', 'write a backup to a folder, with the time in its name')
    .option('--every <duration>', 'with --to: run until a signal and write backups regularly, e.g. every 6h', readEvery)
    .option('--keep <count>', 'with --to: delete the oldest backups of this database beyond this number', readKeep)
    .option('--public-key <key>', 'encrypt for this public key of age, e.g. age1…')
    .option('--verify <file>', 'restore a backup into a temporary database, compare it, and delete it')
    .option('--key <file>', 'with --verify: the private key of an encrypted backup')
    .option('--create-key <file>', 'write a new private key of age to this file, and print its public key')
    .action((file: string | undefined, options: BackupOptions) => runBackup(file, options, configure, endWithParent));
}

async function runBackup(
  file: string | undefined,
  options: BackupOptions,
  configure: () => Config,
  endWithParent: () => void,
): Promise<void> {
  requireOneTarget(file, options);
  const { to, every, keep, publicKey, verify, createKey } = options;
  if (createKey !== undefined) return printNewKey(createKey);
  const config = configure();
  if (verify !== undefined) {
    const { verifyBackup } = await import('./verify.js');
    return verifyBackup(config, verify, options.key);
  }
  const recipient = publicKey === undefined ? undefined : await readPublicKey(publicKey);
  const { backUpToFile, backUpToFolder } = await import('./backup.js');
  if (to === undefined) return backUpToFile(config, file as string, recipient);
  if (every === undefined) return backUpToFolder(config, to, keep, recipient);
  const { backUpRegularly } = await import('./schedule.js');
  endWithParent();
  const args = [
    ...[process.argv[1] as string, 'backup', '--to', to],
    ...(keep === undefined ? [] : ['--keep', String(keep)]),
    ...(publicKey === undefined ? [] : ['--public-key', publicKey]),
  ];
  return backUpRegularly(config, { folder: to, everyMs: every, args });
}

function requireOneTarget(file: string | undefined, options: BackupOptions): void {
  const { to, every, keep, publicKey, verify, key, createKey } = options;
  if ([file, to, verify, createKey].filter((it) => it !== undefined).length !== 1)
    throw new Error('pass one of FILE, --to FOLDER, --verify FILE and --create-key FILE');
  if (to === undefined && (every ?? keep) !== undefined) throw new Error('--every and --keep require --to FOLDER');
  if (verify === undefined && key !== undefined) throw new Error('--key requires --verify FILE');
  if ((verify ?? createKey) !== undefined && publicKey !== undefined)
    throw new Error('--public-key is for writing a backup: pass FILE or --to FOLDER');
}

async function readPublicKey(text: string): Promise<string> {
  try {
    return await (await import('./age.js')).readRecipient(text);
  } catch (error) {
    throw new Error(`--public-key: ${(error as Error).message}`, { cause: error });
  }
}

async function printNewKey(file: string): Promise<void> {
  const { createAgeKey } = await import('./age.js');
  const { recipient, identity } = await createAgeKey();
  writeFileSync(file, `# public key: ${recipient}\n${identity}\n`, { mode: 0o600, flag: 'wx' });
  console.error(`Wrote the private key to ${file}. Keep it away from the backups: without it, they cannot be read.`);
  console.log(recipient);
}

export function createRestoreCommand(configure: () => Config): Command {
  return new Command('restore')
    .description('put a backup in the place of the database, without the people who were erased since')
    .argument('<file>', 'as `backup` wrote it')
    .option(
      '--replace',
      'replace a database that exists already. SQLite: keep it under another name. MySQL: delete its tables',
      false,
    )
    .option('--unverified', 'restore a backup that has no checksum file, or whose key is lost', false)
    .option('--key <file>', 'the private key of an encrypted backup')
    .action(async (file: string, options: RestoreOptions) =>
      (await import('./restore.js')).restore(configure(), file, options),
    );
}

function readEvery(text: string): number {
  const ms = readDuration(text);
  if (ms > everyMsMax) throw new InvalidArgumentError('It must be from 1m to 7d.');
  return ms;
}

function readKeep(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 to 99999.');
  return Number(text);
}
