import { LRUCache } from 'lru-cache';
import type { Dispatcher } from 'undici';
import type { Conversation, Placement } from './conversation.js';

export interface Question {
  readonly body: Buffer;
  /** Undefined if the body cannot be read. */
  readonly conversation: Conversation | undefined;
  readonly instruction: string | undefined;
  /** Names the caller and the upstream. */
  readonly route: string;
}

export interface Asked {
  readonly answer: Dispatcher.ResponseData;
  readonly isAdapted: boolean;
  /** Why the instruction is not in the request. */
  readonly skipped?: string;
}

/** Time for which a model that rejects the instruction gets requests without it, ms. */
const rejectionTtlMs = 600_000;
const rejectionsMax = 1_000;

/**
 * Returns a function that sends a request with the instruction. If the model answers 400, it sends the original once, and if
 * this succeeds, remembers the model. Other callers are not affected, because they could send other requests.
 */
export function createAskModel(placement: Placement) {
  const rejections = new LRUCache<string, true>({ max: rejectionsMax, ttl: rejectionTtlMs });

  return async (
    { body, conversation, instruction, route }: Question,
    send: (parts: readonly Buffer[]) => Promise<Dispatcher.ResponseData>,
  ): Promise<Asked> => {
    if (instruction === undefined) return { answer: await send([body]), isAdapted: false };
    const model = JSON.stringify([route, conversation?.model]);
    const isRejected = rejections.has(model);
    const adapted = isRejected ? undefined : await conversation?.adapt(instruction, placement);
    const skipped = isRejected ? 'rejected_by_model' : 'unreadable_request';
    if (!adapted) return { answer: await send([body]), isAdapted: false, skipped };
    const answer = await send(adapted);
    if (answer.statusCode !== 400) return { answer, isAdapted: true };
    await answer.body.dump();
    const original = await send([body]);
    const isAccepted = original.statusCode < 300;
    if (isAccepted) rejections.set(model, true);
    return { answer: original, isAdapted: false, ...(isAccepted && { skipped: 'rejected_by_model' }) };
  };
}
