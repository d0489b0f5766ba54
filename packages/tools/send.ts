import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BatchResult,
  ProblemError,
  type StateReading,
  type Submission,
  UnexpectedAnswerError,
} from '../client/src/index.js';
import { connect, explain, otherService, describeReason, type ServiceOptions } from './service.js';

/** Maximum number of requests for one line of a batch. */
const triesMax = 5;
/** Longest wait before a line is sent again, s. Enough for a limit per minute, but not for the monthly quota. */
const waitSecondsMax = 60;
/** Longest wait of the client itself, which nobody sees, ms. Enough to send a batch again after a lost connection. */
const silentWaitMs = 4_000;

/** The response to a reading, or the reason why the service rejected the reading, with the code of its error. */
export type Answer =
  | { readonly reading: StateReading; readonly sample?: BatchLine['sample'] }
  | { readonly refusal: string; readonly code?: string | undefined };
type BatchLine = BatchResult['results'][number];
export type Send = (submission: Submission) => Promise<Answer>;
/** Sends at most 1,000 readings in one batch. Returns one answer per reading, in order. */
export type SendBatch = (submissions: readonly Submission[]) => Promise<Answer[]>;

export function createSend(service: ServiceOptions, signal: AbortSignal): Send {
  const client = connect(service);
  return async (submission) => {
    try {
      const reading = await client.ingest(submission, { signal });
      if (!('stress_score' in reading)) throw otherService(service.url);
      return { reading };
    } catch (error) {
      return { refusal: requireRefusal(error, service.url) };
    }
  };
}

/**
 * The returned function also resends the lines of a batch that a limit rejected. Calls `onWait` before a wait, with its
 * length in seconds and its reason.
 */
export function createSendBatch(
  service: ServiceOptions,
  signal: AbortSignal,
  onWait: (seconds: number, reason: string) => void,
): SendBatch {
  const client = connect(service);
  const sendLines = async (submissions: readonly Submission[]): Promise<LineAnswer[]> => {
    try {
      const { results } = await client.ingestBatch(submissions, { signal, waitBudgetMs: silentWaitMs });
      if (!Array.isArray(results)) throw otherService(service.url);
      return submissions.map((_, index) => readLine(results[index]));
    } catch (error) {
      const refused = { refusal: requireRefusal(error, service.url), ...readWait(error) };
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
      await sleep(waitSeconds * 1000, undefined, { signal });
    }
  };
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
  return { refusal, code: error?.code, ...(isRetryable && { waitSeconds: error?.retry_after_seconds ?? 1 }) };
}

/** Returns the wait that the response to a whole batch states. */
function readWait(error: unknown): { readonly waitSeconds?: number } {
  const { retryAfterSeconds } = error as Partial<ProblemError>;
  return retryAfterSeconds === undefined ? {} : { waitSeconds: retryAfterSeconds };
}

/** Returns the reason why the service rejected one reading. Throws an error that concerns all readings. */
function requireRefusal(error: unknown, url: string): string {
  const isRejected = error instanceof ProblemError && error.status !== 401;
  const isBusy = error instanceof UnexpectedAnswerError && (error.status === 429 || error.status >= 500);
  if (isRejected || isBusy) return describeReason(error);
  throw explain(error, url);
}
