/** An environment variable with its documentation. */
export interface Variable<T> extends Described {
  /** The default. Used when the variable is unset or empty. */
  readonly fallback: string;
  readonly read: (text: string) => T;
}

export interface Described {
  readonly help: string;
  /** Describes the default when it is not one fixed value. */
  readonly defaultNote?: string;
}

/** Returns a variable with a fixed default. */
export function variable<T>(help: string, fallback: string, read: (text: string) => T): Variable<T> {
  return { help, fallback, read };
}

/** Returns a variable without a fixed default. `read` converts the empty text to the absent value. */
export function optional<T>(help: string, defaultNote: string, read: (text: string) => T): Variable<T> {
  return { help, defaultNote, fallback: '', read };
}
