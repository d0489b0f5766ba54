import { createHash, createHmac } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { isKnownState, isTask, keepOwnWords, type StateReading, writeInstruction } from '../client/src/index.js';
import { timestamps } from '../../generated/spec.js';
import type { GatewayConfig } from './config.js';
import type { Message, Origin } from './conversation.js';
import { type Caller, isId } from './headers.js';
import { Refusal } from './refusal.js';
import { type Answer, createService, isKey, missingScope, type Whose } from './service.js';
import { createShares } from './shares.js';

/** A caller whose session is known. */
export interface Participant extends Caller {
  readonly sessionId: string;
}

/**
 * Returns the caller with its session. Without one in its headers, each conversation of a person has a session of its
 * own. Undefined if neither a session nor a person is known. A token is valid for one session, so its header must name it.
 */
export function identifyParticipant(caller: Caller, { user, start }: Origin): Participant | undefined {
  const { credential, sessionId } = caller;
  const subjectId = caller.subjectId ?? (isId(user) ? user : undefined);
  if (sessionId !== undefined) return { ...caller, sessionId, subjectId };
  if (subjectId === undefined || !isKey(credential)) return undefined;
  // Keyed, so that nobody can guess the first message from the id.
  const digest = createHmac('sha256', credential).update(JSON.stringify([subjectId, start]));
  return { ...caller, sessionId: `gateway-${digest.digest('base64url').slice(0, 22)}`, subjectId };
}

export interface Advice {
  /** The state of the person. Undefined if it is not available. */
  readonly reading?: StateReading;
  /** The system text for the model. Present with `reading`. */
  readonly instruction?: string;
  /** What matters most of it. Present with `reading`. */
  readonly shortInstruction?: string;
  /** Why there is no usable state, e.g. `timeout`. */
  readonly skipped?: string;
  /** Sends the turn that ends with this response. Does nothing if the turn is known. */
  readonly completeTurn?: (ai_response: string) => void;
}

/** Returns the headers of a response that describe the advice. */
export function createStateHeaders({ reading, skipped }: Advice, isAdapted: boolean): Record<string, string> {
  return {
    'X-State-Adapted': String(isAdapted),
    ...(reading && isKnownState(reading) && { 'X-State': reading.state }),
    ...(reading?.safety && { 'X-State-Safety': reading.safety.kind }),
    ...(skipped !== undefined && { 'X-State-Skipped': skipped }),
  };
}

/** A message that the service has. */
interface Turn {
  /** Undefined after the erasure of the session. */
  reading: StateReading | undefined;
  /** The timestamp of the message. The state may have a later one. */
  readonly timestamp: string;
  isComplete: boolean;
}

const turnsMax = 10_000;
/** The turn has the timestamp of its message, which the service accepts for this time (ms), less the time of its call. */
const turnTtlMs = timestamps.max_age_seconds * 1000 - 10_000;
/** A response waits for no turn, so a turn may be retried. */
const turnLimits = { timeoutMs: 5_000, retriesMax: 4 };
const unsentMax = 1_000;
/** The text is also cut to the size of a body, which has fewer bytes. */
const textMax = 4_096;
/** The rest of a body: ids, the time and the names of fields. */
const restMax = 1_024;

/**
 * Returns the whole message if it fits in a body: the service decides which words are the person's. Cuts a longer text only
 * after what front ends add, which is often long and comes first. '' if no own words remain.
 */
function ownWords({ text }: Message): string {
  const own = keepOwnWords(text).slice(0, textMax);
  return own !== '' && Buffer.byteLength(JSON.stringify(text)) <= textMax - restMax ? text : own;
}
/** Time for which a valid credential stays valid while the service does not respond, ms. */
const acceptedTtlMs = 60_000;
const acceptedMax = 10_000;
/** Checks of unknown credentials at once, divided among addresses. */
const checksMax = 256;
/** Longer than the time for a state, because a failed check fails the request. */
const checkTimeoutMs = 3_000;
const checkConnections = 16;

const rejectedKey =
  'the state service rejected X-State-Key: send a valid API key, or a session token of the session in X-State-Session';
const uncheckedKey = 'the state service does not respond, so X-State-Key cannot be checked: send the request again';
const tooManyChecks = 'the gateway checks too many unknown credentials: send the request again';

/**
 * Creates the part that exchanges readings with the service. Remembers a digest of each message for a few minutes, so that
 * a message counts once: a retry of its request and the steps after a tool call get the same state. `checkCaller` and `consult`
 * reject with a Refusal if the credential is not valid, and if that cannot be checked.
 */
export function createAdvisor(config: GatewayConfig, log: Logger) {
  const { serviceUrl, stateTimeoutMs, sharesTriggers } = config;
  const turns = new LRUCache<string, Turn>({ max: turnsMax, ttl: turnTtlMs });
  const accepted = new LRUCache<string, true>({ max: acceptedMax, ttl: acceptedTtlMs });
  const checks = createShares(checksMax);
  const unsent = new Set<Promise<void>>();
  const service = createService(serviceUrl);
  // Checks of unknown credentials wait for each other, and no message of a known credential waits for them.
  const checking = createService(serviceUrl, checkConnections);

  /** Sends a message. Resolves with undefined if the credential may not send readings. */
  async function send(
    caller: Participant,
    text: string,
    timestamp: string,
    endsAtMs: number,
  ): Promise<Answer | undefined> {
    const reading = { ...namePerson(caller), timestamp, user_message: text, derive_sentiment: true };
    const answer = await service.ingest(caller.credential, reading, timeUntil(endsAtMs));
    const mayLackScope = !isKey(caller.credential) && answer.isAccepted === false;
    return mayLackScope || answer.reason === missingScope ? undefined : answer;
  }

  /** Reads the state of the person. Without one, reads that of the session, which may have no person yet. */
  async function read(caller: Caller, endsAtMs: number, from = service): Promise<Answer> {
    const { credential, sessionId } = caller;
    const person = findPerson(caller);
    if (!person) return from.checkSender(credential, timeUntil(endsAtMs));
    const answer = await from.readState(credential, person, timeUntil(endsAtMs));
    if (answer.reason !== 'no_data' || 'session_id' in person || sessionId === undefined) return answer;
    return from.readState(credential, { session_id: sessionId }, timeUntil(endsAtMs));
  }

  /** Reads the state, for a credential that may only send readings too. The service rejects such a token here. */
  async function check(caller: Caller, endsAtMs: number, from = service): Promise<Answer> {
    const { credential } = caller;
    const answer = await read(caller, endsAtMs, from);
    if (answer.isAccepted !== false || isKey(credential)) return answer;
    const { isAccepted } = await from.checkSender(credential, timeUntil(endsAtMs));
    return isAccepted ? { reason: missingScope, isAccepted } : answer;
  }

  function requireAccepted({ credential }: Caller, { isAccepted }: Answer): void {
    if (isAccepted === false) {
      accepted.delete(credential);
      throw new Refusal(401, 'authentication_error', 'invalid_state_key', rejectedKey);
    }
    if (isAccepted) accepted.set(credential, true);
    else if (!accepted.has(credential)) throw new Refusal(503, 'api_error', 'state_key_not_checked', uncheckedKey);
  }

  /** An unknown or outdated state has no instruction. */
  function composeAdvice({ reading, reason = 'no_data' }: Answer): Advice {
    const instruction = reading && writeInstruction(reading, sharesTriggers);
    if (!instruction) return { skipped: reason };
    const { state, safety, recommendation = '' } = reading;
    const named = isKnownState(reading) ? `The person is ${state}. ` : '';
    return { reading, instruction, shortInstruction: `${named}${safety?.guidance ?? recommendation}`.trim() };
  }

  async function adviseFirst(caller: Participant, message: Message | undefined, id: string): Promise<Advice> {
    const timestamp = new Date().toISOString();
    const endsAtMs = performance.now() + stateTimeoutMs;
    const words = message?.isNewest ? ownWords(message) : '';
    const sent = words === '' ? undefined : await send(caller, words, timestamp, endsAtMs);
    const answer = sent ?? (await read(caller, endsAtMs));
    requireAccepted(caller, answer);
    if (sent?.reading) turns.set(id, { reading: sent.reading, timestamp, isComplete: false });
    return composeAdvice(answer);
  }

  /** Returns the state of a message that the service has. The key may be revoked, and the person erased. */
  async function adviseAgain(caller: Participant, turn: Turn): Promise<Advice> {
    const answer = await check(caller, performance.now() + stateTimeoutMs);
    requireAccepted(caller, answer);
    if (answer.reason === 'no_data') turn.reading = undefined;
    const isCurrent = answer.reading !== undefined || answer.reason === missingScope;
    return composeAdvice(isCurrent ? { reading: turn.reading } : answer);
  }

  /**
   * Sends the whole turn. It has the timestamp and the sentiment of its message, so that the service counts the sentiment
   * once. Without a sentiment, a turn is not a reading. Without a subject, it has no topics.
   */
  function complete(caller: Participant, message: Message, turn: Turn, ai_response: string): void {
    const sentiment = turn.reading?.derived?.sentiment;
    const hasSubject = caller.subjectId !== undefined || !isKey(caller.credential);
    if (turn.isComplete || !hasSubject || sentiment === undefined || unsent.size >= unsentMax) return;
    turn.isComplete = true;
    const texts = { user_message: ownWords(message), ai_response: ai_response.slice(0, textMax) };
    const reading = { ...namePerson(caller), timestamp: turn.timestamp, ...texts, sentiment, derive_sentiment: false };
    const sending = service.ingest(caller.credential, reading, turnLimits).then(({ reason }) => {
      unsent.delete(sending);
      if (reason !== undefined) log.warn({ reason }, 'turn not sent');
      if (reason === 'subject_erased') turn.reading = undefined;
    });
    unsent.add(sending);
  }

  return {
    /** Checks a credential that was not valid within the last minute. Runs before the body is read. */
    async checkCaller(caller: Caller, address: string): Promise<void> {
      if (accepted.has(caller.credential)) return;
      if (!checks.take(address, 1)) throw new Refusal(503, 'overloaded_error', 'overloaded', tooManyChecks);
      const checked = await check(caller, performance.now() + checkTimeoutMs, checking);
      checks.take(address, -1);
      requireAccepted(caller, checked);
    },
    /**
     * Sends the message and resolves with the state. Without a new message, only reads the state. A request of a front end,
     * e.g. for a title, is no turn and gets no state.
     */
    async consult(caller: Participant, message: Message | undefined): Promise<Advice> {
      if (message && isTask(message.text)) {
        requireAccepted(caller, await check(caller, performance.now() + stateTimeoutMs));
        return { skipped: 'front_end_task' };
      }
      const id = digestTurn(caller, message);
      const known = turns.get(id);
      const advice = known ? await adviseAgain(caller, known) : await adviseFirst(caller, message, id);
      const turn = turns.get(id);
      if (!message || !turn) return advice;
      return { ...advice, completeTurn: (response) => complete(caller, message, turn, response) };
    },
    /** Resolves when all turns are sent. */
    async close(): Promise<void> {
      await Promise.all(unsent);
      await Promise.all([service.close(), checking.close()]);
    },
  };
}

function timeUntil(endsAtMs: number) {
  return { timeoutMs: Math.max(0, endsAtMs - performance.now()) };
}

/**
 * Returns whose state is read: that of the person, which all sessions of the person share. A token may only be valid for
 * its session. Undefined if neither is known.
 */
function findPerson({ credential, sessionId, subjectId }: Caller): Whose | undefined {
  if (subjectId !== undefined && isKey(credential)) return { subject_id: subjectId };
  return sessionId === undefined ? undefined : { session_id: sessionId };
}

function namePerson({ sessionId: session_id, subjectId: subject_id }: Participant) {
  return subject_id === undefined ? { session_id } : { session_id, subject_id };
}

function digestTurn({ credential, sessionId, subjectId }: Participant, message: Message | undefined): string {
  const parts = [credential, sessionId, subjectId, message?.position, message?.text];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}
