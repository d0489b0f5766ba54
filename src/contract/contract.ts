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

/** The account and key of a request. */
export interface Caller {
  readonly accountId: string;
  readonly keyId: string;
  readonly tier: Tier;
  /** Absent if every setting has its default. */
  readonly settings?: AccountSettings;
  /** Epoch ms. Set for the caller of a key that expires. */
  readonly expiresAtMs?: number;
  /** Set for the caller of a session token or an OAuth token, and for the page of a person. */
  readonly grant?: TokenGrant;
  /** Set for the caller of a source key. */
  readonly sender?: Sender;
  /** Set for the page of a person. Its `keyId` is the id of the link. */
  readonly link?: LinkCaller;
}

/** What the page of a person may do. */
export interface LinkCaller {
  readonly grants: readonly LinkGrant[];
  /** The API key that created the link. */
  readonly makerKeyId: string;
  /** Database time in epoch ms. */
  readonly openedAtMs: number;
}

/** The app that a source key belongs to, or the hub of a connection. */
export interface Sender {
  /** Undefined for a hub, whose bodies name people. */
  readonly subjectId: string | undefined;
  /** The encrypted secret with which a hub signs. */
  readonly signingSecret?: string | undefined;
  readonly source: Schema<'Source'>;
  /** Zone of times without one. Null if none is known. */
  readonly timeZone: string | null;
  /** Database times in epoch ms. */
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

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
}

/**
 * What a token may read and send: a session token a session, and possibly its person. An OAuth token has no session: it
 * may read and send for one person or, without a person, for the whole account.
 */
export interface TokenGrant {
  readonly sessionId?: string;
  /** A person whom readings may name, in addition to the subject of the session, and whom the token may read. */
  readonly subjectId?: string;
  /** What the ids of sessions begin with that a credential of one person chooses. Absent for a session token. */
  readonly namespace?: string;
  /** Database times in epoch ms. */
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
  /** Present if the token has the scope `read`. */
  readonly canRead?: true;
}

/** Permission of a key. Each operation that requires a key also requires one scope (`x-scope`). */
export type Scope = keyof typeof scopes;

/** The caller of a key, or the reason why the key is not valid. */
export type Identity =
  | { readonly caller: Caller; readonly scopes: ReadonlySet<Scope> }
  | { readonly caller?: undefined; readonly refusal: KeyRefusal; readonly keyId?: string };

/**
 * `network` means that the key is valid, but not from this address. Only the log contains the reason. The error
 * that clients get does not depend on the reason.
 */
export type KeyRefusal = 'unknown' | 'revoked' | 'expired' | 'network';

/** The caller of a session token and its permissions, or the reason why the token is not valid. */
export type TokenIdentity =
  | {
      readonly caller: Caller;
      readonly refusal?: undefined;
      readonly scopes: ReadonlySet<Scope>;
    }
  | { readonly caller?: undefined; readonly refusal: string };

/** Tier of an account. The tier sets the monthly quota. */
export type Tier = keyof typeof tiers;

/** The caller of an operation. Public operations have none. */
export type CallerOf<Op extends OperationId> = Op extends PublicOperationId ? undefined : Caller;

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
