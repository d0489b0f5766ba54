import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The service in a child process, with a temporary database and a key that never expires. */
export interface LocalService {
  readonly url: string;
  readonly key: string;
  /** Contains the database `state.db`. Deleted by `close`. */
  readonly folder: string;
  close(): Promise<void>;
}

export interface LocalServiceOptions {
  /** The root folder of the project or of the installed package. Its program must be built. */
  readonly root: URL;
  /** Name of the account, and part of the folder's name. */
  readonly name: string;
  /** Further environment variables. `folder` is the folder of the service. */
  readonly settings?: (folder: string) => Readonly<Record<string, string>>;
}

export async function startLocalService({ root, name, settings }: LocalServiceOptions): Promise<LocalService> {
  const folder = await mkdtemp(join(tmpdir(), `state-${name}-`));
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  const program = fileURLToPath(new URL('dist/main.js', root));
  const env = {
    PORT: '0',
    DATABASE_URL: `sqlite:${join(folder, 'state.db')}`,
    LOG_LEVEL: 'silent',
    // The service ends when its parent has ended, as with npm.
    npm_lifecycle_event: name,
    ...settings?.(folder),
  };
  try {
    const create = [program, 'keys', 'create', '--account', name, '--tier', 'enterprise'];
    const { stdout } = await promisify(execFile)(process.execPath, create, { env });
    const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const url = await waitForUrl(child);
    const close = async () => {
      await endChild(child);
      await removeFolder();
    };
    return { url, key: stdout.trim(), folder, close };
  } catch (error) {
    await removeFolder();
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
