import { ProblemError } from '../contract/problem.js';
import type { Whose } from '../contract/whose.js';
import type { StoredResult } from '../contract/exported-reading.js';
import type { Grant } from '../contract/grant.js';
import { hideSessions } from '../../packages/score/reason.js';
import type { ComputedState } from '../../packages/score/rows/session.js';
import type { Report } from '../store/feedback.js';
import type { StreamedReading } from '../store/readings-by-position.js';

/*
 * The rule of session tokens. A token sees its own session. If a person is signed into it, it also sees this person.
 * - State, score and kinds of signals rest on the person's other sessions only for a token of this person.
 * - No token gets the id of another session.
 *
 * The rule of OAuth tokens, which have no session: one of a person sees this person, with all sessions that belong to it.
 * Any other session looks like an absent one. One without a person sees the account, as a key does.
 */

/** Returns true if the caller may name this data. */
export function isGranted(grant: Grant, whose: Whose): boolean {
  if (!isLimited(grant)) return true;
  if (whose.kind === 'person') return knowsPerson(grant, whose.subjectId);
  // Only the gate knows whose a session is.
  return whose.kind === 'session' && (grant.sessionId === undefined || grant.sessionId === whose.sessionId);
}

/** Returns true for a grant of a session or a person. A key and a token of the whole account have no limits. */
function isLimited(grant: Grant | undefined): grant is Grant {
  return grant?.sessionId !== undefined || grant?.subjectId !== undefined;
}

/** Returns the person of a token that is limited to a person, and not to a session. */
export function findOnlyPerson(grant: Grant | undefined): string | undefined {
  return grant?.sessionId === undefined ? grant?.subjectId : undefined;
}

/** Returns true for a session that looks like an absent one. `subjectId` is its person. */
export function isHidden(grant: Grant | undefined, subjectId: string | undefined): boolean {
  const own = findOnlyPerson(grant);
  return own !== undefined && own !== subjectId;
}

/** Returns true if the caller may know the evidence of a person's other sessions. */
export function knowsPerson(grant: Grant | undefined, subjectId: string | undefined): boolean {
  return !isLimited(grant) || (grant.subjectId !== undefined && grant.subjectId === subjectId);
}

/** Returns true if a reading may name a person: that of the token, or that of its session. */
export function mayName(grant: Grant, subjectId: string | undefined, subjectOfSession: string | undefined): boolean {
  if (!isLimited(grant) || subjectId === grant.subjectId) return true;
  return findOnlyPerson(grant) === undefined && (subjectId === undefined || subjectId === subjectOfSession);
}

/** Returns the id of a session if the caller may know it: a session token only its own, others any that they see. */
export function showSession(grant: Grant, sessionId: string | undefined): string | undefined {
  return grant.sessionId === undefined || grant.sessionId === sessionId ? sessionId : undefined;
}

/** Returns an id without the namespace of the viewer. */
export function omitNamespace(sessionId: string, { namespace }: Grant): string {
  return namespace !== undefined && sessionId.startsWith(namespace) ? sessionId.slice(namespace.length) : sessionId;
}

/** Returns the replacer of `JSON.stringify` that omits the namespace of the viewer. Undefined for a viewer without one. */
export function createReplacer(viewer: Grant): ((name: string, value: unknown) => unknown) | undefined {
  if (viewer.namespace === undefined) return undefined;
  return (name, value) => (name === 'session_id' && typeof value === 'string' ? omitNamespace(value, viewer) : value);
}

/**
 * Returns a state as the caller gets it. `subjectId` is the person of the state's session. The reason never names a
 * session, also if 1.0.0 stored it.
 */
export function restrictState(
  computed: ComputedState,
  viewer: Grant | undefined,
  subjectId: string | undefined,
): ComputedState {
  const grant = isLimited(viewer) ? viewer : undefined;
  const isOfPerson = computed.raised !== undefined || computed.undisputed !== undefined;
  // The start of a rise may be a time of another session, and the score before a dispute may follow from one.
  if (isOfPerson && !knowsPerson(grant, subjectId))
    return restrictState({ ...computed, raised: undefined, undisputed: undefined }, viewer, subjectId);
  const { shared, alone, ...state } = computed;
  if (!shared && !(grant && alone)) return computed;
  const reason = hideSessions(state.reason, shared?.flatMap(({ session_id }) => session_id ?? []) ?? []);
  if (!grant) return { ...computed, reason };
  if (knowsPerson(grant, subjectId) || !alone) return { ...state, reason };
  const { sinceMs: _, points: __, isWeak: ___, ...withoutSince } = state;
  return { ...withoutSince, ...alone };
}

/**
 * Returns a reading of a stream. For a token, a reading of another session has the session of the token. A state change
 * of another session, or with evidence that the token must not know, is left out.
 */
export function restrictEvent(reading: StreamedReading, viewer: Grant): StreamedReading {
  const { sessionId, subjectId, stateChange } = reading;
  const computed = restrictState(reading.computed, viewer, subjectId);
  if (viewer.sessionId === undefined) return omitNamespaces({ ...reading, computed }, viewer);
  const isLeftOut = sessionId !== viewer.sessionId || (reading.computed.alone && !knowsPerson(viewer, subjectId));
  const shown = knowsPerson(viewer, subjectId) ? subjectId : undefined;
  return {
    ...reading,
    sessionId: viewer.sessionId,
    subjectId: shown,
    computed,
    stateChange: isLeftOut ? null : stateChange,
  };
}

function omitNamespaces(reading: StreamedReading, viewer: Grant): StreamedReading {
  const replacer = createReplacer(viewer);
  if (!replacer) return reading;
  const { sessionId, stateChange } = reading;
  const shown = stateChange === null ? null : JSON.stringify(JSON.parse(stateChange), replacer);
  return { ...reading, sessionId: omitNamespace(sessionId, viewer), stateChange: shown };
}

/** Returns a row of an export. For a token, a row of another session has no session. */
export function restrictRow(row: StoredResult, viewer: Grant): StoredResult {
  const { subjectId, computed } = row;
  const sessionId = showSession(viewer, row.sessionId);
  const restricted = {
    ...row,
    sessionId: sessionId === undefined ? undefined : omitNamespace(sessionId, viewer),
    computed: restrictState(computed, viewer, subjectId),
  };
  if (knowsPerson(viewer, subjectId) || !computed.alone) return restricted;
  const { score, confidence, isWeak } = computed.alone;
  return { ...restricted, score, confidence, isWeak, previousState: undefined };
}

/**
 * Returns a report without its published score, if the caller must not know the score: a token that may not read, or a
 * token without the person of the session. `subjectId` is the person of the report. Throws session_not_found for a report
 * about a session that the caller does not see, so that its transaction does not store it.
 */
export function restrictReport(report: Report, viewer: Grant, subjectId: string | undefined): Report {
  if (isHidden(viewer, subjectId)) throw new ProblemError('session_not_found');
  const mayRead = viewer.kind === 'key' || viewer.scopes.includes('read');
  const maySee = mayRead && (subjectId === undefined || knowsPerson(viewer, subjectId));
  return maySee ? report : { ...report, published: undefined };
}
