import type { Fault, LimitPolicy, Problem, ProblemCode, RateLimitProblem, ValidationProblem } from './schemas.js';

type AnyProblem = Problem | ValidationProblem | RateLimitProblem;
/** A newer service may send values that this client does not know. */
type OrNewer<Known extends string> = Known | (string & {});

/**
 * An error response of the service. Branch on `code`. `message` is for people: the problem's detail, or each validation
 * error with its field, e.g. `sentiment: Input should be a valid number`, and then its hint.
 */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly code: OrNewer<ProblemCode>;
  readonly status: number;
  /** The first validation errors. `problem.errors_omitted` is the number of the others. Empty unless the status is 422. */
  readonly faults: readonly Fault[];
  /** Quote it in support requests. */
  readonly requestId: string;
  /** Seconds after which the same request may be resent. Undefined without a `Retry-After` header. */
  readonly retryAfterSeconds: number | undefined;
  /** The exceeded limits. Empty unless the status is 429. */
  readonly violatedPolicies: ReadonlyArray<OrNewer<LimitPolicy>>;

  constructor(
    readonly problem: AnyProblem,
    headers: Headers,
  ) {
    super(messageOf(problem));
    this.code = problem.code;
    this.status = problem.status;
    this.faults = 'errors' in problem ? problem.errors : [];
    this.requestId = problem.request_id;
    this.retryAfterSeconds = retryAfterSeconds(headers);
    this.violatedPolicies = 'violated_policies' in problem ? problem.violated_policies : [];
  }
}

function messageOf(problem: AnyProblem): string {
  const faults = 'errors' in problem ? problem.errors : [];
  const omitted = 'errors_omitted' in problem ? [`${problem.errors_omitted} more errors`] : [];
  const text = faults.length === 0 ? problem.detail : [...faults.map(describe), ...omitted].join('; ');
  return 'hint' in problem ? `${text}. ${problem.hint}` : text;
}

/** Returns the detail with its field. An error of the whole body has an empty pointer and no field. */
function describe({ pointer = '', parameter, detail, suggestion }: Fault): string {
  const field = parameter ?? pointer.slice(1).replaceAll('~1', '/').replaceAll('~0', '~');
  const hint = suggestion === undefined ? '' : ` (did you mean ${suggestion}?)`;
  return field === '' ? detail : `${field}: ${detail}${hint}`;
}

/** A response that is not from the service, e.g. from a proxy: an error without a problem, or a success without JSON. */
export class UnexpectedAnswerError extends Error {
  override readonly name = 'UnexpectedAnswerError';
  /** Seconds after which the same request may be resent. Undefined without a `Retry-After` header. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    readonly status: number,
    headers: Headers = new Headers(),
  ) {
    super(`status ${status} without ${status < 400 ? 'a result' : 'a problem'} of the service`);
    this.retryAfterSeconds = retryAfterSeconds(headers);
  }
}

/** Parses JSON that only the service writes, in a successful response. */
export function parseResult<Result>(text: string, status = 200): Result {
  try {
    return JSON.parse(text) as Result;
  } catch {
    throw new UnexpectedAnswerError(status);
  }
}

/** Returns the error for an error response. */
export function errorOf(body: unknown, { status, headers }: Response): Error {
  return isProblem(body) ? new ProblemError(body, headers) : new UnexpectedAnswerError(status, headers);
}

/** Returns `Retry-After` in seconds. The service never sends a date. */
export function retryAfterSeconds(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? '';
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

function isProblem(body: unknown): body is AnyProblem {
  return typeof body === 'object' && body !== null && 'code' in body && 'request_id' in body;
}
