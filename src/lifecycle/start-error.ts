import { remedyOf } from '../store/transient.js';

/** A part failed to start. The message names the setting to correct. */
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
  EADDRINUSE: 'the port is in use by another process: set PORT to another one; 0 takes a free one',
  EACCES: 'not allowed',
  ECONNREFUSED: 'the database cannot be reached: is it running there?',
  ETIMEDOUT: 'the database cannot be reached: is it running there?',
  ENOTFOUND: 'no such host',
};

/** Returns one line with the setting, the remedy if known, and the cause. */
export function describeFault(what: string, error: unknown): string {
  const { code = '', message } = error as { code?: string; message: string };
  const [line = ''] = message.split('\n');
  const remedy = remedyOf(error) ?? remedies[code];
  return `${what}: ${remedy ? `${remedy} (${line || code})` : line || code}`;
}
