import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Span } from '@opentelemetry/api';
import type { Response } from 'express';
import type { Definition } from '../contract/definitions.js';
import type { Grant } from '../contract/grant.js';
import { type Whose, wholeAccount } from '../contract/whose.js';
import type { CountedCall } from '../limits/monthly-calls.js';
import type { Allowance, LimitPolicy } from '../limits/window-limit.js';
import type { AnyOperation } from '../operations/operation.js';

/** An operation: its definition in the contract, and what the service must know in addition. */
export interface Route extends Definition {
  readonly record: AnyOperation;
}

export type Params = Readonly<Record<string, string>>;

const none: Params = Object.freeze({});

/** A request and what its steps found. Filled from an HTTP request, or from a call of MCP. */
export class Exchange {
  readonly requestId = randomUUID();
  readonly startedAtMs = performance.now();
  /** Fields of every log line about this request, besides those of the caller. */
  logged: Logged = { request_id: this.requestId };
  /** Address of the client. Set for every request that requires a key. */
  address: string | undefined;
  /** Undefined if the request is not recorded. */
  span: Span | undefined;
  /** Undefined if the contract does not define the operation. */
  route: Route | undefined;
  /** True for a path that requires no key. */
  isPublic = false;
  /** True for a HEAD request, which is handled as GET. */
  isHead = false;
  /** Decoded path parameters. */
  params: Params = none;
  /** The texts that were sent. After the validation, the values with the contract's defaults. */
  query: object = none;
  body: unknown;
  /** Set for every operation that requires a key. */
  caller: Grant | undefined;
  /** Whose data a valid request names. A token that names nobody means its own session. */
  whose: Whose = wholeAccount;
  /**
   * The call that counts against the monthly quota. Set when `caller` is set, except in a call of MCP: the request at
   * `/mcp` is already counted.
   */
  call: CountedCall | undefined;
  /** The state of each limit that admitted this request. The response has them in its headers. */
  allowances: readonly Allowance[] = [];
  /** Releases what the steps took for the operation. Called when the operation has ended. */
  end: (() => void) | undefined;
  /** The limits that rejected lines of a batch, one per rejected line. Set for a batch. */
  refusals: LimitPolicy[] | undefined;

  constructor(
    public method: string,
    readonly headers: IncomingHttpHeaders,
  ) {}

  /** Returns the fields of a log line about this request. The id of the key may be that of an OAuth client or a link. */
  describe(): object {
    const { accountId, keyId } = this.caller ?? {};
    return { ...this.logged, ...(accountId !== undefined && { account_id: accountId, key_id: keyId }) };
  }
}

interface Logged {
  readonly request_id: string;
  readonly trace_id?: string;
  /** The reason why the key is not valid, and the id of the key if it exists. */
  readonly key_refusal?: string;
  readonly key_id?: string;
  /** The reason why the session token is not valid for the request. */
  readonly token_refusal?: string;
  readonly lines?: number;
  /** The code of the problem if the request is rejected. */
  readonly code?: string;
}

/**
 * A step of an operation. Throws a ProblemError to reject the request. `response` is undefined in a call of MCP, which
 * has its body already.
 */
export type Step = (exchange: Exchange, response: Response | undefined) => Promise<void> | void;

/** Returns the caller. Throws if the operation is public, because its steps then need no caller. */
export function requireCaller({ caller }: Exchange): Grant {
  if (!caller) throw new Error('the step requires a caller');
  return caller;
}
