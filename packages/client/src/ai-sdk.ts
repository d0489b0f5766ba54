import type { LanguageModelMiddleware } from 'ai';
import type { StateClient } from './client.js';
import { TimeoutError } from './connection-error.js';
import { keepOwnWords } from './generated/own-words.js';
import { writeInstruction } from './instruction.js';
import type { CallOptions } from './options.js';
import { ProblemError } from './problem-error.js';
import type { StateReading, Submission } from './schemas.js';
import { createTimeLimit } from './time-limit.js';

/** What was sensed of the person. `timestamp` defaults to now. */
export type Signals = Omit<Submission, 'session_id' | 'subject_id' | 'timestamp' | 'user_message' | 'ai_response'> & {
  readonly timestamp?: string;
};

export interface AdaptOptions {
  readonly client: Pick<StateClient, 'ingest' | 'state'>;
  readonly sessionId: string;
  /** The person across sessions, hashed. The state is then that of the person. Without it, no text is sent. */
  readonly subjectId?: string;
  /** Returns the newest signals. Undefined: there are none since the last turn, and the state is only read. */
  readonly signals?: () => Signals | undefined | Promise<Signals | undefined>;
  /**
   * True to send each message before its response, so that the service derives a sentiment. Requires no `signals`. With a
   * subject, the message is sent together with the previous response.
   */
  readonly deriveSentiment?: boolean;
  /** True to name the active triggers in the prompt. This discloses them to the vendor of the model. */
  readonly shareTriggers?: boolean;
  /**
   * Called before each response with the state. Its `adaptation_effectiveness` rates the previous recommendation. A state
   * with `confidence` 0 or `evidence` is unknown or outdated and does not change the prompt.
   */
  readonly onState?: (reading: StateReading) => void;
  /** Called when the state is not available. The model then responds without it. What it throws is ignored. */
  readonly onError?: (error: unknown) => void;
  /**
   * Options of the calls. The person waits for the response, so the defaults are one attempt, and 1,000 ms for `signals`
   * and all attempts together (`timeoutMs`).
   */
  readonly call?: CallOptions;
}

type Middleware = Required<Pick<LanguageModelMiddleware, 'transformParams' | 'wrapGenerate' | 'wrapStream'>>;
type Prompt = Parameters<Middleware['transformParams']>[0]['params']['prompt'];
type StreamPart =
  Awaited<ReturnType<Middleware['wrapStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;
type Turn = Required<Pick<Submission, 'user_message' | 'ai_response'>>;

const promptTimeoutMs = 1000;

/**
 * Returns a middleware of the Vercel AI SDK (version 6 or 7) for one conversation. Before each response, it sends the
 * newest signals with the text of the previous turn, or reads the state. It adds the state, its reason and the
 * recommendation to the system prompt, unless the state is unknown or outdated. Neither the service nor `signals` fails the model, or delays it by more than the
 * time limit of `call`. The `abortSignal` of the response ends the wait.
 */
export function adaptToState(options: AdaptOptions): LanguageModelMiddleware {
  let previous: Turn | undefined;
  let instruction: string | undefined;

  const report = (error: unknown): void => {
    invoke(() => options.onError?.(error)).catch(() => undefined);
  };
  const update = async (message: string, abortSignal: AbortSignal | undefined): Promise<void> => {
    instruction = undefined;
    try {
      const reading = await readInTime(options, textsOf(options, previous, message), abortSignal);
      if (reading === undefined) return;
      instruction = writeInstruction(reading, options.shareTriggers) || undefined;
      invoke(() => options.onState?.(reading)).catch(report);
    } catch (error) {
      abortSignal?.throwIfAborted();
      report(error);
    }
  };
  const keep = (prompt: Prompt, ai_response: string): void => {
    const user_message = lastUserText(prompt);
    if (user_message !== '' && ai_response !== '') previous = { user_message, ai_response };
  };
  return {
    specificationVersion: 'v3',
    async transformParams({ params }) {
      // Further steps of a turn, after a tool call, keep the instruction of the turn.
      if (params.prompt.at(-1)?.role === 'user') await update(lastUserText(params.prompt), params.abortSignal);
      return instruction === undefined ? params : { ...params, prompt: withInstruction(params.prompt, instruction) };
    },
    async wrapGenerate({ doGenerate, params }) {
      const result = await doGenerate();
      keep(params.prompt, result.content.map((part) => (part.type === 'text' ? part.text : '')).join(''));
      return result;
    },
    async wrapStream({ doStream, params }) {
      const { stream, ...rest } = await doStream();
      return { ...rest, stream: stream.pipeThrough(observeText((text) => keep(params.prompt, text))) };
    },
  };
}

type Texts = Pick<Submission, 'subject_id' | 'user_message' | 'ai_response' | 'derive_sentiment'>;

/** Returns the texts of a reading. The service requires a subject for both sides of a turn. */
function textsOf(
  { subjectId: subject_id, deriveSentiment }: AdaptOptions,
  turn: Turn | undefined,
  message: string,
): Texts {
  const ofPerson = subject_id === undefined ? {} : { subject_id, ...turn };
  return deriveSentiment && message !== '' ? { ...ofPerson, user_message: message, derive_sentiment: true } : ofPerson;
}

/** Reads the state within the time limit. Rejects when the limit or a signal ends the wait, whatever does not settle. */
async function readInTime(
  options: AdaptOptions,
  texts: Texts,
  abortSignal: AbortSignal | undefined,
): Promise<StateReading | undefined> {
  const { timeoutMs = promptTimeoutMs, signal, ...call } = options.call ?? {};
  const limit = createTimeLimit([signal, abortSignal], tooSlow);
  limit.start(timeoutMs);
  const aborted = new Promise<never>((_, reject) => {
    limit.signal.addEventListener('abort', () => reject(limit.signal.reason), { once: true });
  });
  try {
    limit.signal.throwIfAborted();
    return await Promise.race([aborted, readState(options, texts, { maxRetries: 0, ...call, signal: limit.signal })]);
  } finally {
    limit.release();
  }
}

function tooSlow(timeoutMs: number): TimeoutError {
  return new TimeoutError(timeoutMs, `no state within ${timeoutMs} ms: signals() or the service took longer`);
}

/** Resolves with the state of the person, or else of the session. Undefined: there is no data yet. */
async function readState(
  options: AdaptOptions,
  texts: Texts,
  call: CallOptions & { readonly signal: AbortSignal },
): Promise<StateReading | undefined> {
  const { client, sessionId: session_id, subjectId: subject_id } = options;
  const signals = await options.signals?.();
  // After the time limit, the model responds without this state.
  call.signal.throwIfAborted();
  if (signals !== undefined || texts.derive_sentiment) {
    const timestamp = new Date().toISOString();
    return client.ingest({ timestamp, ...signals, session_id, ...texts }, call);
  }
  try {
    return await client.state(subject_id === undefined ? session_id : { subject_id }, call);
  } catch (error) {
    if (error instanceof ProblemError && error.status === 404) return undefined;
    throw error;
  }
}

/** Calls a function of the caller. Rejects with its error, also with that of an async function. */
function invoke(act: () => unknown): Promise<unknown> {
  return new Promise((resolve) => resolve(act()));
}

/** Appends to the system message, so that the start of the prompt stays the same and can be cached. */
function withInstruction(prompt: Prompt, instruction: string): Prompt {
  const [first, ...others] = prompt;
  if (first?.role !== 'system') return [{ role: 'system', content: instruction }, ...prompt];
  return [{ ...first, content: `${first.content}\n\n${instruction}` }, ...others];
}

/** Returns the own words of the person in the newest message, '' if there are none. */
function lastUserText(prompt: Prompt): string {
  const message = prompt.findLast(({ role }) => role === 'user');
  if (message?.role !== 'user') return '';
  return keepOwnWords(message.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n'));
}

/** Passes the parts of a stream through. Calls `act` with its whole text at the end. */
function observeText(act: (text: string) => void): TransformStream<StreamPart, StreamPart> {
  let text = '';
  return new TransformStream({
    transform(part, controller) {
      if (part.type === 'text-delta') text += part.delta;
      controller.enqueue(part);
    },
    flush: () => act(text),
  });
}
