import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Placement } from './apis.js';

/** The credential, upstream and model of a request, and its session. */
export interface Asking {
  readonly credential: string;
  /** The upstream and the path of its API. */
  readonly upstream: string;
  readonly model: unknown;
  readonly sessionId: string;
}

/** How the instruction is in a request. */
export interface Attempt {
  readonly placement: Placement;
  /** True for the short form. */
  readonly isShort: boolean;
}

/** What a rejection concerns: the model, the length of this conversation, or something else of this conversation. */
export type Cause = 'model' | 'length' | 'conversation';

/** A model and one place of the instruction. */
interface Model {
  /** Digests of conversations that the model rejected since its last success, at most `conversationsToLearn`. */
  readonly conversations: Set<string>;
  /** Requests since the model is known to reject the instruction. */
  requests: number;
}

interface RejectedConversation {
  readonly placements: Set<Placement>;
  form: 'full' | 'short' | 'none';
}

/** Rejected conversations after which a model gets no instruction in this place. */
const conversationsToLearn = 3;
/** Of the requests to a model that rejects all places, one in this number has the instruction. */
const requestsPerProbe = 20;
const modelsMax = 1_000;
const conversationsMax = 10_000;
/** Time for which a rejected conversation gets no instruction, ms. */
const conversationTtlMs = 600_000;

/**
 * Remembers which models reject the instruction, and where. A rejection concerns its conversation, which gets the next
 * place, the short form, or no instruction. Three rejected conversations without a success concern the model, for this
 * credential only. If an entry is evicted, the model is asked again.
 */
export function createRejections() {
  const models = new LRUCache<string, Model>({ max: modelsMax });
  const conversations = new LRUCache<string, RejectedConversation>({ max: conversationsMax, ttl: conversationTtlMs });

  const isLearned = ({ conversations: rejected }: Model) => rejected.size === conversationsToLearn;
  // Digests are slow, and most gateways remember nothing.
  const findModel = (asking: Asking, placement: Placement) =>
    models.size > 0 ? models.get(digestModel(asking, placement)) : undefined;
  const findConversation = (asking: Asking) =>
    conversations.size > 0 ? conversations.get(digestConversation(asking)) : undefined;

  /** Returns the place of a probe, or undefined between the probes. */
  function probe(known: Model, placements: readonly Placement[]): Placement | undefined {
    known.requests += 1;
    return known.requests % requestsPerProbe === 0
      ? placements[(known.requests / requestsPerProbe - 1) % placements.length]
      : undefined;
  }

  return {
    /** Returns where a request gets the instruction, of the places in order of preference. Undefined: nowhere. */
    choose(asking: Asking, placements: readonly Placement[]): Attempt | undefined {
      const known = placements.map((it) => findModel(asking, it)).filter((it) => it !== undefined && isLearned(it));
      const [first] = known;
      if (first && known.length === placements.length) {
        const placement = probe(first, placements);
        return placement && { placement, isShort: false };
      }
      const rejected = findConversation(asking);
      const isOpen = (it: Placement) => {
        const model = findModel(asking, it);
        return !(model && isLearned(model)) && !rejected?.placements.has(it);
      };
      const placement = placements.find(isOpen);
      if (placement === undefined || rejected?.form === 'none') return undefined;
      return { placement, isShort: rejected?.form === 'short' };
    },
    /** Records that the model accepted a request with the instruction. */
    succeed(asking: Asking, { placement }: Attempt): void {
      const known = findModel(asking, placement);
      if (!known) return;
      // These conversations were not rejected for themselves.
      if (isLearned(known)) for (const it of known.conversations) conversations.get(it)?.placements.delete(placement);
      models.delete(digestModel(asking, placement));
    },
    /** Records that the model accepted the original only. */
    reject(asking: Asking, { placement, isShort }: Attempt, cause: Cause): void {
      const conversation = digestConversation(asking);
      const known = findModel(asking, placement) ?? { conversations: new Set<string>(), requests: 0 };
      if (isLearned(known)) return;
      const rejected = conversations.get(conversation) ?? { placements: new Set(), form: 'full' };
      conversations.set(conversation, rejected);
      if (cause !== 'model') return void (rejected.form = cause === 'length' && !isShort ? 'short' : 'none');
      rejected.placements.add(placement);
      known.conversations.add(conversation);
      models.set(digestModel(asking, placement), known);
    },
  };
}

/** Digests, because a caller chooses the length of these texts. */
function digestModel({ credential, upstream, model }: Asking, placement: Placement): string {
  return digest(credential, upstream, model, placement);
}

function digestConversation({ credential, upstream, model, sessionId }: Asking): string {
  return digest(credential, upstream, model, { sessionId });
}

function digest(...parts: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}
