import { findRemedy } from '../store/retry.js';

/** Thrown if a part fails to start. The message names the setting to correct. */
export class StartError extends Error {}

/** Runs one part of the startup. Rejects with a StartError, whose one-line message names the setting and the cause. */
export async function starting<T>(what: string, part: () => T | Promise<T>): Promise<T> {
  try {
    return await part();
  } catch (error) {
    throw error instanceof StartError ? error : new StartError(describeFault(what, error), { cause: error });
  }
}

const remedies: Readonly<Record<string, string>> = {
  EACCES: 'not allowed',
  ECONNREFUSED: 'the database is unreachable: check its address, and that it is running',
  ETIMEDOUT: 'the database is unreachable: check its address, and that it is running',
  ENOTFOUND: 'the host name is unknown: check the URL',
};

/** Returns one line with the settings, the remedy if known, and the cause. The last one of several settings is the port. */
export function describeFault(what: string, error: unknown): string {
  const { code = '', message } = error as { code?: string; message: string };
  const [line = ''] = message.split('\n');
  const portInUse = `another process uses the port: set ${what.split(' ').at(-1)} to another port, or to 0 for a free port`;
  const remedy = findRemedy(error) ?? (code === 'EADDRINUSE' ? portInUse : remedies[code]);
  return `${what}: ${remedy ? `${remedy} (${line || code})` : line || code}`;
}
