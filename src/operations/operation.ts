import type { Logger } from 'pino';
import type { BodyOf, Input, OperationId, Output, RejectedLines } from '../contract/contract.js';
import type { CallerOf, Grant } from '../contract/grant.js';
import type { Whose } from '../contract/whose.js';
import type { SessionTokens } from '../keys/session-token.js';
import type { ScoreAgain } from '../readings/facts.js';
import type { Commit } from '../readings/group.js';
import type { ErasureParts } from '../retention/erase.js';
import type { DigestId } from '../store/erased-ids.js';
import type { Pause } from '../store/scope.js';
import type { Absence } from '../store/service-runs.js';
import type { Store } from '../store/store.js';
import type { Exports } from '../streaming/exports.js';
import type { Sink } from '../streaming/sink.js';
import type { Streams } from '../streaming/streams.js';
import type { ResolveName } from '../webhooks/resolve-name.js';
import type { SecretBox } from '../webhooks/secrets.js';
import type { TargetPolicy } from '../webhooks/target.js';

/** Operations whose responses are sent piece by piece. */
type StreamedId = 'streamEvents' | 'exportReadings';
/** Operations with one response, unless a step before it fails. They do not wait for the core. */
type FixedId = 'getReadiness';

/** Properties of an operation that the contract does not define. Its handler gets only the services that `Uses` names. */
export type OperationRecord<Op extends OperationId, Uses extends keyof Services = never, Body = BodyOf<Op>> = Facts &
  (Op extends StreamedId
    ? Streamed<Op>
    : Op extends FixedId
      ? { readonly fixed: Output<Op> }
      : Handled<Op, Uses, Body>);

interface Facts {
  /** The effect on the data of people. The access record has an entry of each request that reads, exports, replaces or erases. */
  readonly personalData: 'none' | 'reads' | 'exports' | 'writes' | 'replaces' | 'erases';
  /** True if accounts share the thread round robin for the operation, as for each one that reads the data of people. */
  readonly sharesThread?: true;
  /**
   * Content of the body: one reading, one reading per line, or what an app posts with a source key. The intake prepares the
   * readings.
   */
  readonly takes?: 'reading' | 'lines' | 'source';
  /** True if a token may be a parameter of the query: `EventSource` cannot send headers. */
  readonly takesTokenInQuery?: true;
  /** True if the operation reports whether load balancers may send requests. It fails as soon as a shutdown begins. */
  readonly reportsReadiness?: true;
  readonly tool?: McpTool;
}

/** An operation with a single response. Its handler runs in the core. */
interface Handled<Op extends OperationId, Uses extends keyof Services, Body> {
  handle(services: Pick<Services, Uses>, input: Input<Op, Body>, caller: CallerOf<Op>): Promise<Output<Op>>;
}

/** An operation whose response is sent piece by piece. It runs on the HTTP thread. */
interface Streamed<Op extends OperationId> {
  /** Throws a ProblemError if the parameters contradict each other. */
  stream(services: StreamServices, request: StreamRequest<Op>): StreamedResponse;
}

/** The type of all operations. Its methods accept any input: callers validate the input against the same operation. */
export interface AnyOperation extends Facts {
  handle?(
    services: Services,
    input: AnyInput,
    caller: Grant | undefined,
  ): Promise<RejectedLines & { readonly status: number; readonly body?: object }>;
  stream?(
    services: StreamServices,
    request: Omit<AnyInput, 'body'> & Pick<StreamRequest<OperationId>, 'caller' | 'onSent'>,
  ): StreamedResponse;
  readonly fixed?: { readonly status: number; readonly body?: object };
}

export interface AnyInput {
  readonly query: unknown;
  readonly params: unknown;
  readonly body: unknown;
  readonly whose: Whose;
  readonly headers?: unknown;
}

export type RunOperation = (
  operationId: OperationId,
  input: AnyInput,
  caller: Grant | undefined,
) => Promise<CoreResponse>;

/** Adds a request with a streamed response to the access record. */
export type RecordAccess = (operationId: OperationId, whose: Whose, caller: Grant) => Promise<void>;

/** Response of an operation: a success status and its JSON text, if it has a body. */
export interface CoreResponse extends RejectedLines {
  readonly status: number;
  readonly json: string | undefined;
}

export interface McpTool {
  /** The same as in comparable MCP servers, because agents know these names. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The text of a result begins with these fields of the response. */
  readonly leading?: readonly string[];
  /** True if the ids in a result are what an agent asks for. */
  readonly listsIds?: true;
}

export interface StreamRequest<Op extends OperationId> extends Omit<Input<Op>, 'body'> {
  readonly caller: Grant;
  /** Must be called whenever data is sent. */
  readonly onSent: () => void;
}

export interface StreamedResponse {
  readonly mediaType: string;
  /** True for a response without an end. It does not count as a request in flight. */
  readonly isEndless?: true;
  /** Writes the response. `begin` returns the response with its headers. */
  run(begin: () => Writer): Promise<void>;
}

/** What a streamed response is written to. */
export type Writer = Sink;

export interface Services {
  readonly store: Store;
  readonly commit: Commit;
  /** Must be called in reads that may take longer than some milliseconds. */
  readonly pause: Pause;
  /** The time of the database in epoch ms. All processes of a database share it. */
  readonly now: () => number;
  /** Returns the times in which no process of the service ran, oldest first. */
  readonly absences: () => readonly Absence[];
  readonly log: Logger;
  readonly sessionTokens: SessionTokens;
  readonly digestId: DigestId;
  readonly scoreAgain: ScoreAgain;
  /** Records erasures outside of the database. Undefined on MySQL. */
  readonly recordErasures?: ErasureParts['recordErasures'];
  /** Returns the keyed digests of a report, one per key of SECRETS_KEY. */
  readonly digestFeedback: (text: string) => readonly string[];
  readonly maxFeedbackAgeMs: number;
  /** Retention of readings and facts, of accounts without their own. */
  readonly maxReadingAgeMs: number;
  /** PUBLIC_URL. */
  readonly publicUrl?: string | undefined;
  /** URL at which apps post. */
  readonly sourcesUrl?: string | undefined;
  /** Counts readings that a source stored of a person: `countStored(count, accountId, subjectId)`. Resolves with what is left. */
  readonly countStored: (count: number, ...name: readonly string[]) => Promise<number>;
  readonly secretBox: SecretBox;
  readonly targetPolicy: TargetPolicy;
  readonly resolveName: ResolveName;
  /** Wakes the delivery worker. Called when deliveries may be due. */
  readonly wakeWorker: () => void;
}

export interface StreamServices {
  readonly openStream: Streams['open'];
  readonly runExport: Exports['run'];
}
