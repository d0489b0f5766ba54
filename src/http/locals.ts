import type { Caller, KeyRefusal, Scope } from '../contract/contract.js';
import type { Allowance, LimitPolicy } from '../limits/allowance.js';
import type { Call } from '../limits/monthly-calls.js';
import type { Params, Route } from './route.js';

declare global {
  namespace Express {
    /** Data that the middleware of one request shares. */
    interface Locals {
      requestId: string;
      /** Fields of every log line about this request. */
      logged: {
        readonly request_id: string;
        readonly trace_id?: string;
        /** The reason why the key is not valid, and the id of the key if it exists. */
        readonly key_refusal?: KeyRefusal;
        readonly key_id?: string;
        /** The reason why the session token is not valid for the request. */
        readonly token_refusal?: string;
        /** Number of lines of a batch. */
        readonly lines?: number;
      };
      /** Undefined if the contract does not define the operation. */
      route: Route | undefined;
      /** The methods that the contract defines for this path. */
      methods: ReadonlyMap<string, unknown> | undefined;
      /** Decoded path parameters. */
      params: Params;
      /** True for a path that requires no key. */
      isPublic: boolean;
      /** True for a HEAD request, which is handled as GET. */
      isHead: boolean;
      /** Set for every operation that requires a key. */
      caller: Caller | undefined;
      /** Set when the caller uses a session token. Its expiry is in epoch ms. */
      token: { readonly sessionId: string; readonly expiresAtMs: number } | undefined;
      /** The scopes of the caller's key or token. */
      scopes: ReadonlySet<Scope> | undefined;
      /** The call that counts against the monthly quota. Set when `caller` is set, except in a tool call. */
      call: Call | undefined;
      /** The state of each limit that admitted this request. */
      allowances: Allowance[];
      /** The limits that rejected lines of a batch, one per rejected line. Set for a batch. */
      refusals: LimitPolicy[] | undefined;
    }
  }
}
