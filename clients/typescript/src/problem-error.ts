import type { Fault, LimitPolicy, Problem, ProblemCode, RateLimitProblem, ValidationProblem } from './schemas.js';

type AnyProblem = Problem | ValidationProblem | RateLimitProblem;
/** A newer service may say more than is known here. */
type OrNewer<Known extends string> = Known | (string & {});

/**
 * The service refused the request. Branch on `code`; `message` is for people: the problem's detail, or each validation
 * error with its field, as in `sentiment: Input should be a valid number`.
 */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly code: OrNewer<ProblemCode>;
  readonly status: number;
  /** Every fault of the input; empty unless the status is 422. */
  readonly faults: readonly Fault[];
  /** Quote it when you report a fault. */
  readonly requestId: string;
  /** Seconds after which the same request may be sent again; absent where the service names none. */
  readonly retryAfterSeconds: number | undefined;
  /** The limits that were exceeded; empty unless the status is 429. */
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
  return faults.length === 0 ? problem.detail : faults.map(describe).join('; ');
}

/** An error of the whole body has an empty pointer and no field to name. */
function describe({ pointer = '', parameter, detail }: Fault): string {
  const field = parameter ?? pointer.slice(1).replaceAll('~1', '/').replaceAll('~0', '~');
  return field === '' ? detail : `${field}: ${detail}`;
}

/** What answered is not the service: a proxy, most likely. */
export class UnexpectedAnswerError extends Error {
  override readonly name = 'UnexpectedAnswerError';

  constructor(readonly status: number) {
    super(`status ${status} without a problem of the service`);
  }
}

/** The error that an answer stands for. */
export function errorOf(body: unknown, { status, headers }: Response): Error {
  return isProblem(body) ? new ProblemError(body, headers) : new UnexpectedAnswerError(status);
}

/** `Retry-After` in seconds; the service never writes a date. */
export function retryAfterSeconds(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? '';
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

function isProblem(body: unknown): body is AnyProblem {
  return typeof body === 'object' && body !== null && 'code' in body && 'request_id' in body;
}
