/** Types of the API. All of them are derived from openapi.yaml, and no other file defines a type of the wire format. */
import type { components, operations } from '../../generated/api.js';
import type { publicOperations, scopes, tiers } from '../../generated/spec.js';
import type { Whose } from './whose.js';

export type OperationId = keyof operations;
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];

type JsonOf<Response> = Response extends { content: { 'application/json': infer Body } } ? Body : never;
type QueryOf<Op extends OperationId> = operations[Op]['parameters'] extends { query?: infer Query }
  ? [Exclude<Query, undefined>] extends [never]
    ? unknown
    : Exclude<Query, undefined>
  : unknown;
type ParamsOf<Op extends OperationId> = operations[Op]['parameters'] extends { path: infer Params } ? Params : unknown;
type HeadersOf<Op extends OperationId> = operations[Op]['parameters'] extends { header?: infer Headers }
  ? Exclude<Headers, undefined>
  : unknown;
export type BodyOf<Op extends OperationId> = operations[Op] extends {
  requestBody: { content: infer Content };
}
  ? Content[keyof Content]
  : unknown;

/** Input of a handler, validated against the contract. */
export interface Input<Op extends OperationId, Body = BodyOf<Op>> {
  readonly query: QueryOf<Op>;
  readonly params: ParamsOf<Op>;
  readonly body: Body;
  /** Whose data the request names. */
  readonly whose: Whose;
  /** The request's headers that the contract declares as parameters. */
  readonly headers?: HeadersOf<Op>;
}

/** Output of a handler: a declared success status with its body. Errors are thrown as ProblemError. */
export type Output<Op extends OperationId> = Declared<Op> & RejectedLines;

/** The rejected lines of a batch that other parts must count. */
export interface RejectedLines {
  /** The limits that rejected lines, one per rejected line. */
  readonly refusals?: ReadonlyArray<Schema<'LimitPolicy'>> | undefined;
  /** Number of lines that the caller's token does not allow. */
  readonly tokenRefusals?: number | undefined;
  /** Whose data the response contains, if the request does not name it. */
  readonly whose?: Whose;
}

type Declared<Op extends OperationId> = {
  [Status in keyof operations[Op]['responses']]: Status extends 204
    ? { readonly status: Status; readonly body?: never }
    : JsonOf<operations[Op]['responses'][Status]> extends never
      ? never
      : { readonly status: Status; readonly body: JsonOf<operations[Op]['responses'][Status]> };
}[keyof operations[Op]['responses']];

/** Settings of an account, which the operator sets. An absent setting has its default. */
export interface AccountSettings {
  /** Applies to readings that do not state `derive_sentiment`. Default: false. */
  readonly derive_sentiment?: boolean;
  /** What consent does. `record` stores it, `enforce` also checks every reading against it. Default: off. */
  readonly consent?: 'off' | 'record' | 'enforce';
  /** Purpose for which biometric categories are allowed in the contexts work and education. Default: none. */
  readonly biometric_purpose?: 'none' | 'medical' | 'safety';
  /** Whether a reading is also scored with the signals of the person's other sessions. Default: true. */
  readonly share_signals?: boolean;
  /** Hours to keep readings and facts after their time. Default: the retention of the deployment. */
  readonly keep_readings_hours?: number | undefined;
}

/** Permission of a key. Each operation that requires a key also requires one scope (`x-scope`). */
export type Scope = keyof typeof scopes;

/** Tier of an account. The tier sets the monthly quota. */
export type Tier = keyof typeof tiers;

/** Operations that need no key; the contract marks them with `security: []`. */
export type PublicOperationId = (typeof publicOperations)[number];

export type LinkGrant = Schema<'LinkGrant'>;
export type Submission = Schema<'SignalSubmission'>;
export type StateReading = Schema<'StateReading'>;
export type State = Schema<'State'>;
export type SignalCategory = Schema<'SignalCategory'>;
export type ProblemCode = Schema<'ProblemCode'>;
export type Fault = Schema<'Fault'>;
export type FaultCode = Schema<'Fault'>['code'];
