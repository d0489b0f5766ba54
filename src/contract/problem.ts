import { faults, problems, problemTypePrefix, validation } from '../../generated/spec.js';
import type { Fault, FaultCode, ProblemCode, Schema } from './contract.js';

type Values = Readonly<Record<string, string>>;

export interface ProblemOptions {
  readonly cause?: unknown;
  readonly faults?: readonly Fault[];
  /** Number of validation errors that `faults` does not contain. */
  readonly omitted?: number;
  /** Fills the placeholders of the contract's detail, e.g. `{scope}`. */
  readonly values?: Values;
  /** Appends the contract's hint and fills its placeholders. */
  readonly hint?: Values;
  /** Where the body stops being JSON (invalid_payload only). */
  readonly position?: Schema<'JsonPosition'>;
  /** The complete detail, for a problem that comes from another thread. */
  readonly detail?: string;
  /** Value of the Retry-After header, if the contract documents one. */
  readonly retryAfterSeconds?: number;
}

/** An error of the contract. `cause` is only logged and never sent. `faults` lists the first validation errors (422 only). */
export class ProblemError extends Error {
  readonly code: ProblemCode;
  readonly faults: readonly Fault[] | undefined;
  readonly omitted: number;
  readonly retryAfterSeconds: number | undefined;
  readonly position: Schema<'JsonPosition'> | undefined;

  constructor(code: ProblemCode, options: ProblemOptions = {}) {
    super(options.detail ?? describeProblem(code, options), { cause: options.cause });
    this.code = code;
    this.faults = options.faults?.slice(0, validation.errors_max);
    this.omitted = (options.omitted ?? 0) + (options.faults?.length ?? 0) - (this.faults?.length ?? 0);
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.position = options.position;
  }

  get status(): number {
    return problems[this.code].status;
  }

  /** Returns the body of the response (RFC 9457). `detail` is that of the first validation error, if there is one. */
  toBody(requestId: string): Schema<'Problem'> | Schema<'ValidationProblem'> {
    const { status, title } = problems[this.code];
    const type = problemTypePrefix + this.code;
    const body = { type, title, status, detail: this.faults?.[0]?.detail ?? this.message, code: this.code };
    const { faults, omitted, position } = this;
    const named = { ...(faults && { errors: [...faults] }), ...(omitted > 0 && { errors_omitted: omitted }) };
    return { ...body, request_id: requestId, ...named, ...(position && { position }) };
  }
}

type Place = Pick<Fault, 'pointer' | 'parameter' | 'allowed' | 'suggestion'>;

/**
 * Returns a validation error with the contract's text. `limit` replaces the placeholder `{limit}` of the text.
 */
export function fault(code: FaultCode, place: Place, limit?: string): Fault {
  return { detail: faults[code].detail.replace('{limit}', limit ?? ''), code, ...place };
}

function describeProblem(code: ProblemCode, { values, hint }: { values?: Values; hint?: Values }): string {
  const problem: { readonly detail: string; readonly hint?: string } = problems[code];
  const detail = fill(problem.detail, values);
  return hint && problem.hint ? `${detail}: ${fill(problem.hint, hint)}` : detail;
}

function fill(detail: string, values: Values = {}): string {
  return Object.entries(values).reduce((text, [name, value]) => text.replaceAll(`{${name}}`, value), detail);
}
