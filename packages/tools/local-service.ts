import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { scopes } from '../../generated/spec.js';

/** The service in a child process, with a temporary database and a key that never expires and has all scopes. */
export interface LocalService {
  readonly url: string;
  readonly key: string;
  /** Contains the database `state.db`. Deleted by `close`. */
  readonly folder: string;
  /** Restarts the service on its database with these environment variables only, which may change `url`. */
  restart(settings: Settings): Promise<void>;
  close(): Promise<void>;
}

type Settings = Readonly<Record<string, string>>;

export interface LocalServiceOptions {
  /** The root folder of the project or of the installed package. Its program must be built. */
  readonly root: URL;
  /** Name of the account, and part of the folder's name. */
  readonly name: string;
  /** Further environment variables. `folder` is the folder of the service. */
  readonly settings?: (folder: string) => Settings;
}

/** Sets the clock of a service that was started with the returned file as TEST_CLOCK_FILE. */
export function setClock(folder: string, nowMs: number): string {
  const file = join(folder, 'clock');
  // Replaces the file atomically, because the service may read it at any time.
  writeFileSync(`${file}.new`, String(nowMs));
  renameSync(`${file}.new`, file);
  return file;
}

export async function startLocalService({ root, name, settings }: LocalServiceOptions): Promise<LocalService> {
  const folder = await mkdtemp(join(tmpdir(), `state-${name}-`));
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  const program = fileURLToPath(new URL('dist/main.js', root));
  // Of the environment, the service gets nothing, so that it uses no database that is configured there.
  const env = (more: Settings = {}) => ({
    PORT: '0',
    DATABASE_URL: `sqlite:${join(folder, 'state.db')}`,
    LOG_LEVEL: 'silent',
    // The service ends when its parent has ended, as with npm.
    npm_lifecycle_event: name,
    ...more,
  });
  let child: ChildProcess | undefined;
  const start = async (more?: Settings) => {
    child = spawn(process.execPath, [program], { env: env(more), stdio: ['ignore', 'pipe', 'pipe'] });
    service.url = await waitForUrl(child);
  };
  const end = () => child && endChild(child);
  const service = {
    ...{ url: '', key: '', folder },
    async restart(more: Settings) {
      await end();
      await start(more);
    },
    async close() {
      await end();
      await removeFolder();
    },
  };
  try {
    const rights = ['--tier', 'enterprise', '--scopes', Object.keys(scopes).join(',')];
    const create = [program, 'keys', 'create', '--account', name, ...rights];
    const more = settings?.(folder);
    service.key = (await promisify(execFile)(process.execPath, create, { env: env(more) })).stdout.trim();
    await start(more);
    return service;
  } catch (error) {
    await service.close();
    throw error;
  }
}

/** Resolves when the service listens. Rejects with its error if it ends before. */
function waitForUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const output = { stdout: '', stderr: '' };
    child.stdout?.on('data', (text) => {
      output.stdout += text;
      const [, url] = /^Listening on (\S+)$/m.exec(output.stdout) ?? [];
      if (url !== undefined) resolve(url);
    });
    child.stderr?.on('data', (text) => (output.stderr += text));
    child.once('error', reject);
    child.once('close', () => reject(new Error(`the service does not start: ${output.stderr.trim()}`)));
  });
}

async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
