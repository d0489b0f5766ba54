import type { Caller, KeyRefusal, Scope } from '../contract.js';
import type { Allowance } from '../limits/allowance.js';
import type { Call } from '../limits/monthly-calls.js';
import type { Params, Route } from './route.js';

declare global {
  namespace Express {
    /** What the steps of one request hand to the next. */
    interface Locals {
      requestId: string;
      /** What every line of the log says about this request. */
      logged: {
        readonly request_id: string;
        readonly trace_id?: string;
        /** Why the key is not valid, and its id where it has one. */
        readonly key_refusal?: KeyRefusal;
        readonly key_id?: string;
      };
      /** Absent where the contract names no such operation. */
      route: Route | undefined;
      /** The methods that the contract offers on this path. */
      methods: ReadonlyMap<string, unknown> | undefined;
      /** What stands in the parameters of the path, decoded. */
      params: Params;
      isPublic: boolean;
      /** Present on every operation that needs a key. */
      caller: Caller | undefined;
      /** Those of the caller's key. */
      scopes: ReadonlySet<Scope> | undefined;
      /** Present where there is a caller. */
      call: Call | undefined;
      /** The limits that have let this request through. */
      allowances: Allowance[];
    }
  }
}
