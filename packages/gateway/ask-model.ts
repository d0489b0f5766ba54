import type { Dispatcher } from 'undici';
import type { Conversation, Placing } from './conversation.js';
import { type Asking, type Cause, createRejections } from './rejections.js';

export interface Question extends Omit<Asking, 'model'> {
  readonly body: Buffer;
  /** Undefined if the body cannot be read. */
  readonly conversation: Conversation | undefined;
  /** The system text for the model, and its short form for a conversation that is too long. */
  readonly instruction: string | undefined;
  readonly shortInstruction: string | undefined;
}

export interface Asked {
  readonly answer: Dispatcher.ResponseData;
  readonly isAdapted: boolean;
  /** Why the instruction is not in the request. */
  readonly skipped?: string;
}

/**
 * Errors with which models reject a system message. The others concern the key, a limit or an outage, and a second request
 * would count against a limit, or double the load.
 */
const rejectingStatuses = [400, 404, 413, 415, 422, 500, 501];
/** What a rejection concerns, as vendors and servers name its cause. Everything else concerns the model. */
const causes: ReadonlyArray<readonly [cause: Cause, pattern: RegExp]> = [
  [
    'length',
    /context.?(?:length|window|size)|too.?(?:long|large)|(?:many|max\w*|exceed\w*).{0,30} tokens|exceed.{0,30}length/i,
  ],
  ['conversation', /content.?(?:filter|policy|management)|moderation/i],
];
/** Part of an error that is read, in bytes, and the time for it, ms. */
const errorBytesMax = 16_384;
const errorTimeoutMs = 1_000;

/**
 * Returns a function that sends a request with the instruction. If the model rejects it, the function sends the original
 * once, before anything of the response is forwarded. If this succeeds, it remembers the rejection, and what it concerns.
 */
export function createAskModel(placing: Placing) {
  const rejections = createRejections();

  return async (
    { body, conversation, instruction, shortInstruction, ...caller }: Question,
    send: (parts: readonly Buffer[]) => Promise<Dispatcher.ResponseData>,
  ): Promise<Asked> => {
    if (instruction === undefined) return { answer: await send([body]), isAdapted: false };
    if (!conversation) return { answer: await send([body]), isAdapted: false, skipped: 'unreadable_request' };
    const asking = { ...caller, model: conversation.model };
    const rejected = { isAdapted: false, skipped: 'rejected_by_model' };
    const attempt = rejections.choose(asking, placing === 'auto' ? conversation.placements : [placing]);
    if (!attempt) return { answer: await send([body]), ...rejected };
    const text = (attempt.isShort && shortInstruction) || instruction;
    const adapted = await conversation.adapt(text, attempt.placement);
    if (!adapted) return { answer: await send([body]), isAdapted: false, skipped: 'unreadable_request' };
    const answer = await send(adapted);
    if (answer.statusCode < 300) rejections.succeed(asking, attempt);
    if (!rejectingStatuses.includes(answer.statusCode)) return { answer, isAdapted: true };
    const [error, original] = await Promise.all([readError(answer), send([body])]);
    if (original.statusCode >= 300) return { answer: original, isAdapted: false };
    rejections.reject(asking, attempt, findCause(answer.statusCode, error));
    return { answer: original, ...rejected };
  };
}

function findCause(status: number, error: string): Cause {
  if (status === 413) return 'length';
  return causes.find(([, pattern]) => pattern.test(error))?.[0] ?? 'model';
}

/** Resolves with the start of the error, as far as it arrives in time. Discards the rest. */
async function readError({ body }: Dispatcher.ResponseData): Promise<string> {
  const timer = setTimeout(() => body.destroy(), errorTimeoutMs);
  let text = '';
  try {
    for await (const chunk of body) {
      text += String(chunk);
      if (text.length > errorBytesMax) break;
    }
  } catch {
    // The model broke the response off, or did not end it.
  }
  clearTimeout(timer);
  return text;
}
