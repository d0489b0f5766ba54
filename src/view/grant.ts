import type { TokenGrant } from '../contract/contract.js';
import { toWhoseKey, type Whose } from '../contract/whose.js';
import type { StoredResult } from '../contract/exported-reading.js';
import { hideSessions } from '../../packages/score/reason.js';
import type { ComputedState } from '../../packages/score/rows/session.js';
import type { Report } from '../store/feedback.js';
import type { StreamedReading } from '../store/readings-by-position.js';

/*
 * The rule of session tokens. A token sees its own session. If a person is signed into it, it also sees this person.
 * - State, score and kinds of signals rest on the person's other sessions only for a token of this person.
 * - No token gets the id of another session.
 */

/** Who reads. A key reads its whole account, a session token what its grant allows. */
export interface Viewer {
  readonly grant?: TokenGrant | undefined;
}

/** Returns true if the caller may name this data. */
export function isGranted(grant: TokenGrant | undefined, whose: Whose): boolean {
  if (!grant) return true;
  return whose.kind === 'person' ? knowsPerson(grant, whose.subjectId) : toWhoseKey(whose) === toOwnKey(grant);
}

const toOwnKey = ({ sessionId }: TokenGrant) => toWhoseKey({ kind: 'session', sessionId });

/** Returns true if the caller may know the evidence of a person's other sessions. */
export function knowsPerson(grant: Pick<TokenGrant, 'subjectId'> | undefined, subjectId: string | undefined): boolean {
  return !grant || (grant.subjectId !== undefined && grant.subjectId === subjectId);
}

/** Returns true if a reading may name a person: that of the token, or that of its session. */
export function mayName(
  grant: TokenGrant,
  subjectId: string | undefined,
  subjectOfSession: string | undefined,
): boolean {
  return subjectId === undefined || subjectId === grant.subjectId || subjectId === subjectOfSession;
}

/** Returns true for a token from before an erasure, which must not bring data of the person back. Times in epoch ms. */
export function isBeforeErasure({ issuedAtMs }: TokenGrant, erasedAtMs: number): boolean {
  return issuedAtMs <= erasedAtMs;
}

/** Returns the id of a session if the caller may know it: a key any, a token only its own. */
export function showSession({ grant }: Viewer, sessionId: string | undefined): string | undefined {
  return !grant || grant.sessionId === sessionId ? sessionId : undefined;
}

/**
 * Returns a state as the caller gets it. `subjectId` is the person of the state's session. The reason never names a
 * session, also if 1.0.0 stored it.
 */
export function restrictState(
  computed: ComputedState,
  { grant }: Viewer,
  subjectId: string | undefined,
): ComputedState {
  const { shared, alone, ...state } = computed;
  if (!shared && !(grant && alone)) return computed;
  const reason = hideSessions(state.reason, shared?.flatMap(({ session_id }) => session_id ?? []) ?? []);
  if (!grant) return { ...computed, reason };
  if (knowsPerson(grant, subjectId) || !alone) return { ...state, reason };
  const { sinceMs: _, ...withoutSince } = state;
  return { ...withoutSince, ...alone };
}

/**
 * Returns a reading of a stream. For a token, a reading of another session has the session of the token. A state change
 * of another session, or with evidence that the token must not know, is left out.
 */
export function restrictEvent(reading: StreamedReading, viewer: Viewer): StreamedReading {
  const { grant } = viewer;
  const { sessionId, subjectId, stateChange } = reading;
  const computed = restrictState(reading.computed, viewer, subjectId);
  if (!grant) return { ...reading, computed };
  const isHidden = sessionId !== grant.sessionId || (reading.computed.alone && !knowsPerson(grant, subjectId));
  return { ...reading, sessionId: grant.sessionId, computed, stateChange: isHidden ? null : stateChange };
}

/** Returns a row of an export. For a token, a row of another session has no session. */
export function restrictRow(row: StoredResult, viewer: Viewer): StoredResult {
  const { subjectId, computed } = row;
  const restricted = {
    ...row,
    sessionId: showSession(viewer, row.sessionId),
    computed: restrictState(computed, viewer, subjectId),
  };
  if (knowsPerson(viewer.grant, subjectId) || !computed.alone) return restricted;
  const { score, confidence } = computed.alone;
  return { ...restricted, score, confidence, previousState: undefined };
}

/**
 * Returns a report without its published score, if the caller must not know the score: a token that may not read, or a
 * token without the person of the session. `subjectId` is the person of the report.
 */
export function restrictReport(report: Report, { grant }: Viewer, subjectId: string | undefined): Report {
  const maySee = !grant || (grant.canRead && (subjectId === undefined || knowsPerson(grant, subjectId)));
  return maySee ? report : { ...report, published: undefined };
}
