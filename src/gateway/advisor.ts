import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { type Dispatcher, Pool } from 'undici';
import {
  type CallOptions,
  createStateClient,
  ProblemError,
  type SessionClient,
  type StateReading,
  writeInstruction,
} from '../../clients/typescript/src/index.js';
import { timestamps } from '../../generated/spec.js';
import type { GatewayConfig } from '../config/gateway.js';
import type { Message } from './apis.js';

/** The headers of a caller. */
export interface Caller {
  /** An API key or a session token. */
  readonly credential: string;
  readonly sessionId: string;
  readonly subjectId: string | undefined;
}

export interface Advice {
  /** The state of the person. Undefined if it is not available. */
  readonly reading?: StateReading;
  /** The system text for the model. Present with `reading`. */
  readonly instruction?: string;
  /** Why there is no usable state, e.g. `timeout`. */
  readonly skipped?: string;
  /** True if the service rejected the key. */
  readonly isRefused?: true;
  /** Sends the turn that ends with this response. Does nothing if the turn is known. */
  readonly completeTurn?: (ai_response: string) => void;
}

export interface Advisor {
  /** Sends the message and resolves with the state. Without a new message, only reads the state. Never rejects. */
  consult(caller: Caller, message: Message | undefined): Promise<Advice>;
  /** Resolves when all turns are sent. */
  close(): Promise<void>;
}

/** A message that the service has. */
interface Turn {
  readonly reading: StateReading;
  /** The timestamp of the message. The state may have a later one. */
  readonly timestamp: string;
  isComplete: boolean;
}

const turnsMax = 10_000;
/** The turn has the timestamp of its message, which the service accepts for this time (ms), less the time of its call. */
const turnTtlMs = timestamps.max_age_seconds * 1000 - 10_000;
/** A response waits for no turn, so a turn may be retried. */
const turnCall: CallOptions = { timeoutMs: 5_000, maxRetries: 4, waitBudgetMs: 5_000 };
const unsentMax = 1_000;
/** The client cuts texts to the size of a body, which has fewer bytes. */
const textMax = 4_096;

/**
 * Creates the part that exchanges readings with the service. Remembers a digest of each message for a few minutes, so that
 * a message counts once: a retry of its request and the steps after a tool call get the same state.
 */
export function createAdvisor(config: GatewayConfig, log: Logger): Advisor {
  const { serviceUrl, stateTimeoutMs, sharesTriggers } = config;
  const turns = new LRUCache<string, Turn>({ max: turnsMax, ttl: turnTtlMs });
  const unsent = new Set<Promise<void>>();
  const pool = new Pool(new URL(serviceUrl).origin);

  function openClient({ credential }: Caller): SessionClient {
    const options = { baseUrl: serviceUrl, fetch: fetchWith(pool) };
    return isKey(credential)
      ? createStateClient({ ...options, key: credential })
      : createStateClient({ ...options, token: credential });
  }

  /** Sends a message. Resolves with undefined if the credential may not send readings. */
  async function send(caller: Caller, text: string, timestamp: string, call: CallOptions) {
    try {
      const reading = {
        ...namePerson(caller),
        timestamp,
        user_message: text.slice(0, textMax),
        derive_sentiment: true,
      };
      return await openClient(caller).ingest(reading, call);
    } catch (error) {
      // The service rejects a token without the scope like an invalid token.
      const mayLackScope = !isKey(caller.credential) && isRefusal(error);
      if (mayLackScope || readCode(error) === 'insufficient_scope') return undefined;
      throw error;
    }
  }

  /** A reading without confidence has no fresh signal, or is the response of another server. */
  function composeAdvice(reading: StateReading): Advice {
    if (!(reading.confidence > 0)) return { skipped: 'no_data' };
    return { reading, instruction: writeInstruction(reading, sharesTriggers) };
  }

  async function requestAdvice(caller: Caller, message: Message | undefined, id: string): Promise<Advice> {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), stateTimeoutMs);
    const call = { signal: controller.signal, maxRetries: 0 };
    const timestamp = new Date().toISOString();
    try {
      const sent = message?.isNewest ? await send(caller, message.text, timestamp, call) : undefined;
      const reading = sent ?? (await openClient(caller).state(caller.sessionId, call));
      if (!sent || !message) return composeAdvice(reading);
      const turn = { reading, timestamp, isComplete: false };
      turns.set(id, turn);
      return { ...composeAdvice(reading), completeTurn: (response) => complete(caller, message, turn, response) };
    } catch (error) {
      if (isRefusal(error)) return { isRefused: true };
      return { skipped: controller.signal.aborted ? 'timeout' : readCode(error) };
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Sends the whole turn. It has the timestamp and the sentiment of its message, so that the service counts the sentiment
   * once. Without a sentiment, a turn is not a reading. Without a subject, it has no topics.
   */
  function complete(caller: Caller, { text }: Message, turn: Turn, ai_response: string): void {
    const sentiment = turn.reading.derived?.sentiment;
    const hasSubject = caller.subjectId !== undefined || !isKey(caller.credential);
    if (turn.isComplete || !hasSubject || sentiment === undefined || unsent.size >= unsentMax) return;
    turn.isComplete = true;
    const texts = { user_message: text.slice(0, textMax), ai_response: ai_response.slice(0, textMax) };
    const reading = { ...namePerson(caller), timestamp: turn.timestamp, ...texts, sentiment };
    const sending = openClient(caller)
      .ingest({ ...reading, derive_sentiment: false }, turnCall)
      .then(
        () => undefined,
        (error: unknown) => log.warn({ reason: readCode(error) }, 'turn not sent'),
      )
      .finally(() => unsent.delete(sending));
    unsent.add(sending);
  }

  return {
    async consult(caller, message) {
      const id = digestTurn(caller, message);
      const turn = message && turns.get(id);
      if (!turn) return requestAdvice(caller, message, id);
      return { ...composeAdvice(turn.reading), completeTurn: (response) => complete(caller, message, turn, response) };
    },
    async close() {
      await Promise.all(unsent);
      await pool.close();
    },
  };
}

/**
 * Returns a `fetch` for the client. It takes a third less CPU time per request than the global one, and follows no redirect,
 * which could send the key to another host.
 */
function fetchWith(pool: Pool): typeof fetch {
  return async (input, init) => {
    const request = input as Request;
    const { pathname, search } = new URL(request.url);
    const answer = await pool.request({
      method: request.method as Dispatcher.HttpMethod,
      path: pathname + search,
      headers: Object.fromEntries(request.headers),
      ...(request.body && { body: Buffer.from(await request.arrayBuffer()) }),
      signal: init?.signal ?? null,
    });
    const headers = answer.headers as Record<string, string>;
    return new Response(await answer.body.arrayBuffer(), { status: answer.statusCode, headers });
  };
}

function namePerson({ sessionId: session_id, subjectId: subject_id }: Caller) {
  return subject_id === undefined ? { session_id } : { session_id, subject_id };
}

function digestTurn({ credential, sessionId, subjectId }: Caller, message: Message | undefined): string {
  const parts = [credential, sessionId, subjectId, message?.position, message?.text];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}

function isKey(credential: string): boolean {
  return credential.startsWith('sk_');
}

/** The limit of failed authentications counts rejected keys only, so its error is also a rejected key. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof ProblemError)) return false;
  return error.status === 401 || error.violatedPolicies.includes('failed-authentications');
}

/** Returns a name that contains nothing of the request. */
function readCode(error: unknown): string {
  if (!(error instanceof ProblemError)) return 'service_unavailable';
  return error.code === 'session_not_found' ? 'no_data' : error.code;
}
