import { readFileSync } from 'node:fs';
import { parseUrl } from './parse-url.js';

/** Tables of environment variables, and functions that read their texts. Each throws a ConfigError that names the remedy. */

export class ConfigError extends Error {}

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the values of a table of variables. Throws one ConfigError that lists every invalid variable. */
export function readVariables<T extends object>(
  env: Environment,
  table: { readonly [Name in keyof T]: Variable<T[Name]> },
): T {
  const faults: string[] = [];
  const read = ([name, variable]: [string, Variable<unknown>]) => {
    try {
      const text = `${name}_FILE` in table ? readTextOrFile(env, name) : env[name];
      return [name, variable.read(text || variable.fallback)];
    } catch (error) {
      faults.push(`${name} ${(error as Error).message}`);
      return [name, undefined];
    }
  };
  const values = Object.entries<Variable<unknown>>(table).map(read);
  if (faults.length > 0) throw new ConfigError(faults.join('; '));
  return Object.fromEntries(values) as T;
}

/**
 * Returns the value of a variable, or the content of the file that NAME_FILE names, without its last line break.
 * Rejects an empty file, because the default would silently replace a missing secret.
 */
function readTextOrFile(env: Environment, name: string): string | undefined {
  const fileName = `${name}_FILE`;
  const file = env[fileName];
  if (!file) return env[name];
  if (env[name]) throw new ConfigError(`and ${fileName} are both set: unset one of them`);
  let text: string;
  try {
    text = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new ConfigError(`cannot be read from ${fileName}: ${(error as Error).message}`);
  }
  if (text === '') throw new ConfigError(`cannot be read from ${fileName}: ${file} is empty`);
  return text;
}

/** An environment variable with its documentation. */
export interface Variable<T> extends DescribedVariable {
  /** The default. Used when the variable is unset or empty. */
  readonly fallback: string;
  readonly read: (text: string) => T;
}

export interface DescribedVariable {
  readonly help: string;
  /** Describes the default when it is not one fixed value. */
  readonly defaultNote?: string;
}

export function defineVariable<T>(help: string, fallback: string, read: (text: string) => T): Variable<T> {
  return { help, fallback, read };
}

/** Returns a variable that is undefined when it is unset or empty. */
export function defineOptionalVariable<T>(
  help: string,
  defaultNote: string,
  read: (text: string) => T,
): Variable<T | undefined> {
  return { help, defaultNote, fallback: '', read: (text) => (text === '' ? undefined : read(text)) };
}

export function createIntegerReader(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < min || number > max)
      throw new ConfigError(`must be a whole number from ${min} to ${max}, not "${text}"`);
    return number;
  };
}

export function listChoices(allowed: readonly string[]): (text: string) => string {
  return (text) => {
    if (!allowed.includes(text)) throw new ConfigError(`must be one of ${allowed.join(', ')}, not "${text}"`);
    return text;
  };
}

/**
 * Returns CORS origins, which consist of scheme, host and port only. Rejects an asterisk, which would allow every web
 * page.
 */
export function readOrigins(text: string): readonly string[] {
  const origins = splitList(text).filter((part) => part !== '');
  const odd = origins.find((part) => parseUrl(part)?.origin !== part);
  if (odd !== undefined)
    throw new ConfigError(`must be comma-separated origins like https://app.example.com, not "${odd}"`);
  return origins;
}

/** Returns no part for an empty text. */
export function splitList(text: string): string[] {
  return text === '' ? [] : text.split(',').map((part) => part.trim());
}

export function readSwitch(text: string): boolean {
  if (text !== '0' && text !== '1') throw new ConfigError(`must be 0 or 1, not "${text}"`);
  return text === '1';
}

/** Returns names of headers in lower case, as Node does. */
export function readHeaderNames(text: string): readonly string[] {
  const names = splitList(text.toLowerCase());
  if (!names.every((name) => /^[a-z0-9-]{1,64}$/.test(name)))
    throw new ConfigError(`must be names of headers, separated by commas, not "${text}"`);
  return names;
}

/** Headers in which a key would be taken for something else. */
const otherHeaders = ['authorization', 'cookie', 'host', 'origin', 'content-type', 'content-length', 'idempotency-key'];

/** Does the same for headers that may contain a key. */
export function readKeyHeaders(text: string): readonly string[] {
  const names = readHeaderNames(text);
  const odd = names.find((name) => otherHeaders.includes(name));
  if (odd !== undefined) throw new ConfigError(`must be comma-separated names of headers for a key, not "${odd}"`);
  return names;
}
