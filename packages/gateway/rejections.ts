import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** The credential, upstream and model of a request, and its session. */
export interface Asking {
  readonly credential: string;
  /** The upstream and the path of its API. */
  readonly upstream: string;
  readonly model: unknown;
  readonly sessionId: string;
}

interface Model {
  /** Digests of conversations that the model rejected since its last success, at most `conversationsToLearn`. */
  readonly conversations: Set<string>;
  /** Requests since the model is known to reject the instruction. */
  requests: number;
}

/** Rejected conversations after which a model gets no instruction. */
const conversationsToLearn = 3;
/** Of the requests to such a model, one in this number has the instruction. */
const requestsPerProbe = 20;
const modelsMax = 1_000;
const conversationsMax = 10_000;
/** Time for which a rejected conversation gets no instruction, ms. */
const conversationTtlMs = 600_000;

/**
 * Remembers which models reject the instruction. A rejection concerns its conversation, because its cause may be the length
 * or a content filter. Three rejected conversations without a success concern the model, for this credential only. If an
 * entry is evicted, the model is asked again.
 */
export function createRejections() {
  const models = new LRUCache<string, Model>({ max: modelsMax });
  const conversations = new LRUCache<string, true>({ max: conversationsMax, ttl: conversationTtlMs });

  const isLearned = ({ conversations: rejected }: Model) => rejected.size === conversationsToLearn;

  return {
    /** Returns true if a request gets the instruction. */
    mayAdapt(asking: Asking): boolean {
      const { model, conversation } = digest(asking);
      const known = models.get(model);
      return known && isLearned(known)
        ? (known.requests += 1) % requestsPerProbe === 0
        : !conversations.has(conversation);
    },
    /** Records that the model accepted a request with the instruction. */
    succeed(asking: Asking): void {
      const { model } = digest(asking);
      const known = models.get(model);
      // These conversations were not rejected for themselves.
      if (known && isLearned(known)) for (const conversation of known.conversations) conversations.delete(conversation);
      models.delete(model);
    },
    /** Records that the model accepted the original only. `isOfConversation`: the error names a cause in the conversation. */
    reject(asking: Asking, isOfConversation: boolean): void {
      const { model, conversation } = digest(asking);
      const known = models.get(model) ?? { conversations: new Set<string>(), requests: 0 };
      if (isLearned(known)) return;
      conversations.set(conversation, true);
      if (isOfConversation) return;
      known.conversations.add(conversation);
      models.set(model, known);
    },
  };
}

/** Digests, because a caller chooses the length of these texts. */
function digest({ credential, upstream, model, sessionId }: Asking) {
  const digestParts = (...parts: unknown[]) => createHash('sha256').update(JSON.stringify(parts)).digest('base64');
  const ofModel = digestParts(credential, upstream, model);
  return { model: ofModel, conversation: digestParts(ofModel, sessionId) };
}
