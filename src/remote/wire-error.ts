import type { Fault, ProblemCode } from '../contract.js';
import { type Allowance, RateLimitError } from '../limits/allowance.js';
import { ProblemError } from '../problem.js';

/** An error as plain data: a structured clone of an Error loses its class and its code. */
export type WireError =
  | { readonly kind: 'limit'; readonly exceeded: Allowance }
  | {
      readonly kind: 'problem';
      readonly code: ProblemCode;
      readonly faults: readonly Fault[] | undefined;
      readonly cause: WireError | undefined;
    }
  | {
      readonly kind: 'error';
      readonly name: string;
      readonly message: string;
      readonly stack: string | undefined;
      /** The code of a database or socket error; it identifies retryable errors. */
      readonly code: unknown;
    };

export function wireErrorOf(error: unknown): WireError {
  if (error instanceof RateLimitError) return { kind: 'limit', exceeded: error.exceeded };
  if (error instanceof ProblemError) {
    const { code, faults, cause } = error;
    return { kind: 'problem', code, faults, cause: cause === undefined ? undefined : wireErrorOf(cause) };
  }
  const { name, message, stack, code }: NodeJS.ErrnoException =
    error instanceof Error ? error : new Error(String(error));
  return { kind: 'error', name, message, stack, code };
}

export function errorOf(wire: WireError): Error {
  if (wire.kind === 'limit') return new RateLimitError(wire.exceeded);
  if (wire.kind === 'problem') return problemOf(wire);
  const { name, message, stack, code } = wire;
  return Object.assign(new Error(message), { name, stack, ...(code !== undefined && { code }) });
}

function problemOf({ code, faults, cause }: Extract<WireError, { kind: 'problem' }>): ProblemError {
  return new ProblemError(code, { ...(faults && { faults }), ...(cause && { cause: errorOf(cause) }) });
}
