import { ProblemError } from '../contract/problem.js';
import { type Allowance, RateLimitError } from '../limits/window-limit.js';

/**
 * An error as plain data, because a structured clone of an Error loses its class and code. The code of a database or
 * socket error identifies retryable errors.
 */
export type WireError =
  | { readonly kind: 'limit'; readonly exceeded: Allowance }
  | ({ readonly kind: 'problem'; readonly detail: string; readonly cause: WireError | undefined } & Pick<
      ProblemError,
      'code' | 'faults' | 'retryAfterSeconds' | 'hint' | 'maxAgeSeconds'
    >)
  | {
      readonly kind: 'error';
      readonly name: string;
      readonly message: string;
      readonly stack: string | undefined;
      readonly code: unknown;
    };

export function writeError(error: unknown): WireError {
  if (error instanceof RateLimitError) return { kind: 'limit', exceeded: error.exceeded };
  if (error instanceof ProblemError) {
    const { code, faults, message: detail, retryAfterSeconds, hint, maxAgeSeconds, cause } = error;
    const wireCause = cause === undefined ? undefined : writeError(cause);
    return { kind: 'problem', code, faults, detail, retryAfterSeconds, hint, maxAgeSeconds, cause: wireCause };
  }
  const { name, message, stack, code }: NodeJS.ErrnoException =
    error instanceof Error ? error : new Error(String(error));
  return { kind: 'error', name, message, stack, code };
}

export function readError(wire: WireError): Error {
  if (wire.kind === 'limit') return new RateLimitError(wire.exceeded);
  if (wire.kind === 'error') {
    const { name, message, stack, code } = wire;
    return Object.assign(new Error(message), { name, stack, ...(code !== undefined && { code }) });
  }
  const { kind: _, code, cause, ...named } = wire;
  return new ProblemError(code, { ...named, cause: cause && readError(cause) });
}
