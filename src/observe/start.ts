import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { findRemedy } from '../store/retry.js';

export interface Closable {
  close(): Promise<void>;
}

/** Registers a started part and returns it. The parts are closed in reverse order of registration. */
export type Keep = <Part extends Closable>(part: Part) => Part;

/** Starts parts in order. If a part fails to start, closes the started parts and rejects with its error. */
export async function startAll<Result>(
  start: (keep: Keep) => Promise<Result>,
): Promise<{ readonly result: Result; close(): Promise<void> }> {
  const parts: Closable[] = [];
  const keep: Keep = (part) => {
    parts.push(part);
    return part;
  };
  const close = async () => {
    for (const part of parts.splice(0).reverse()) await part.close();
  };
  try {
    return { result: await start(keep), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Thrown if a part fails to start. The message names the setting to correct. */
export class StartError extends Error {}

/** Runs one part of the startup. Rejects with a StartError, whose one-line message names the setting and the cause. */
export async function runStartStep<T>(what: string, part: () => T | Promise<T>): Promise<T> {
  try {
    return await part();
  } catch (error) {
    throw error instanceof StartError ? error : new StartError(describeFault(what, error), { cause: error });
  }
}

const unreachable = 'check the address of the server, and that it is running';
const remedies: Readonly<Record<string, string>> = {
  ECONNREFUSED: unreachable,
  ETIMEDOUT: unreachable,
  EHOSTUNREACH: unreachable,
  ENOTFOUND: 'the host name is unknown: check the URL',
};

/** Returns advice to the operator about an error of the database, or of a connection to any server. */
export function findAdvice(error: unknown): string | undefined {
  return findRemedy(error) ?? remedies[String((error as { code?: unknown } | undefined)?.code)];
}

/**
 * Returns one line with the settings, the remedy if known, and the cause. The last one of several settings is the port.
 */
export function describeFault(what: string, error: unknown): string {
  const { code = '' } = error as { code?: string };
  const advice = findRemedy(error);
  const portInUse = `another process uses the port: set ${what.split(' ').at(-1)} to another port, or to 0 for a free port`;
  const own: Readonly<Record<string, string>> = { EACCES: 'not allowed', EADDRINUSE: portInUse, ...remedies };
  const remedy = advice ?? own[code];
  return `${advice ? 'DATABASE_URL' : what}: ${remedy ? `${remedy} (${describeCause(error)})` : describeCause(error)}`;
}

/** Returns the first line of the message, or the code of a statement with a known remedy: its message contains SQL. */
export function describeCause(error: unknown): string {
  const { code = '', message, sql } = error as { code?: string; message: string; sql?: string };
  return (sql && findRemedy(error) ? '' : message.split('\n')[0]) || code || 'unknown error';
}

/** Returns one line about an error of a command. */
export function describeError(error: unknown): string {
  return findRemedy(error) ? describeFault('DATABASE_URL', error) : describeCause(error);
}

/**
 * Starts to listen. Resolves with the URL. Rejects when the server cannot listen on the address. Port 0 selects a free
 * port.
 */
export async function listen(server: Server, host: string, port: number): Promise<string> {
  server.listen(port, host);
  await once(server, 'listening');
  const { port: taken } = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${taken}`;
}
