import {
  type BatchResult,
  type FactSubmission,
  ProblemError,
  type StateClient,
  type StateReading,
  type Submission,
  UnexpectedAnswerError,
} from '../client/src/index.js';

/** Maximum number of requests for one line of a batch. */
const triesMax = 5;
/** Longest wait before a line is sent again, s. Enough for a limit per minute, but not for the monthly quota. */
const waitSecondsMax = 60;
/** Longest wait of the client itself, which nobody sees, ms. Enough to send a batch again after a lost connection. */
const silentWaitMs = 4_000;

/** The response to a reading, or the reason why the service rejected the reading, with the code of its error. */
export type Answer =
  | { readonly reading: StateReading; readonly sample?: BatchLine['sample'] }
  | { readonly refusal: string; readonly error?: LineError };
type LineError = NonNullable<BatchLine['error']>;
type BatchLine = BatchResult['results'][number];
/** Sends at most 1,000 readings in one batch. Returns one answer per reading, in order. */
export type SendBatch = (submissions: readonly Submission[]) => Promise<Answer[]>;
/** Stores a fact. Returns the reason if the service rejected it. */
export type SendFact = (id: string, fact: FactSubmission) => Promise<string | undefined>;
/** Returns the error of a call with its remedy. */
export type Explain = (error: unknown) => Error;

export interface BatchSending {
  readonly client: Pick<StateClient, 'ingestBatch' | 'putFact'>;
  readonly explain: Explain;
  readonly signal: AbortSignal;
  /** Called before a wait, with its length in seconds and its reason. */
  readonly onWait: (seconds: number, reason: string) => void;
}

/** Returns a function that also resends the lines of a batch that a limit rejected. Uses no module of Node. */
export function createBatchSender({ client, explain, signal, onWait }: BatchSending): SendBatch {
  const sendLines = async (submissions: readonly Submission[]): Promise<LineAnswer[]> => {
    try {
      const { results } = await client.ingestBatch(submissions, { signal, waitBudgetMs: silentWaitMs });
      return submissions.map((_, index) => readLine(results[index]));
    } catch (error) {
      const refused = { refusal: requireRefusal(error, explain), ...readWait(error) };
      return submissions.map(() => refused);
    }
  };
  return async (submissions) => {
    const answers: LineAnswer[] = [];
    let waiting = [...submissions.keys()];
    for (let tries = 1; ; tries += 1) {
      const outcomes = await sendLines(waiting.flatMap((index) => submissions[index] ?? []));
      waiting.forEach((index, at) => (answers[index] = outcomes[at] ?? { refusal: 'no result' }));
      waiting = waiting.filter((index) => answers[index]?.waitSeconds !== undefined);
      const waitSeconds = Math.max(...waiting.map((index) => answers[index]?.waitSeconds ?? 0));
      if (waiting.length === 0 || waitSeconds > waitSecondsMax || tries === triesMax) return answers;
      const [first] = waiting.flatMap((index) => answers[index] ?? []);
      onWait(waitSeconds, first && 'refusal' in first ? first.refusal : '');
      await sleep(waitSeconds * 1000, signal);
    }
  };
}

/** Returns a function that stores a fact. The client resends it after a limit. */
export function createFactSender({ client, explain, signal }: BatchSending): SendFact {
  return async (id, fact) => {
    try {
      await client.putFact(id, fact, { signal });
      return undefined;
    } catch (error) {
      return requireRefusal(error, explain);
    }
  };
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), reject(signal.reason as Error)), { once: true });
  });
}

/** `waitSeconds` is the time until a retry. Absent if the answer is final. */
type LineAnswer = Answer & { readonly waitSeconds?: number };

function readLine(line: BatchLine | undefined): LineAnswer {
  if (line?.state) return { reading: line.state, sample: line.sample };
  const { status = 502, error } = line ?? {};
  const [fault] = error?.errors ?? [];
  const field = fault?.pointer ? `${fault.pointer.slice(1)}: ` : '';
  const refusal = `${status} ${field}${fault?.detail ?? error?.detail ?? 'no result'}`;
  const isRetryable = status === 429 || status === 503;
  return { refusal, ...(error && { error }), ...(isRetryable && { waitSeconds: error?.retry_after_seconds ?? 1 }) };
}

/** Returns the wait that the response to a whole batch states. */
function readWait(error: unknown): { readonly waitSeconds?: number } {
  const { retryAfterSeconds } = error as Partial<ProblemError>;
  return retryAfterSeconds === undefined ? {} : { waitSeconds: retryAfterSeconds };
}

/** Returns the reason why the service rejected one reading. Throws an error that concerns all readings. */
export function requireRefusal(error: unknown, explain: Explain): string {
  const isRejected = error instanceof ProblemError && error.status !== 401;
  const isBusy = error instanceof UnexpectedAnswerError && (error.status === 429 || error.status >= 500);
  if (isRejected || isBusy) return describeReason(error);
  throw explain(error);
}

/** Returns the cause of a failed call in a few words, e.g. ECONNREFUSED. */
export function describeReason(error: Error): string {
  if (error instanceof ProblemError) return `${error.status} ${error.message}`;
  const { code, message = error.message } = findRoot(error) as { code?: string; message?: string };
  return code ?? message;
}

function findRoot(error: Error): Error {
  return error.cause instanceof Error ? findRoot(error.cause) : error;
}
