/** Whose data a request, a stream, a webhook, a report or an access concerns. Plain data. */
export type Whose =
  | { readonly kind: 'session'; readonly sessionId: string }
  | { readonly kind: 'person'; readonly subjectId: string }
  | { readonly kind: 'account' };

/** Data of several sessions, but not of all. */
export type SomeSessions = Exclude<Whose, { kind: 'session' | 'account' }>;

export type SessionOrPerson = Exclude<Whose, { kind: 'account' }>;

/** The names in the contract. */
export interface Names {
  readonly session_id?: string;
  readonly subject_id?: string;
}

/** A session and its person. A part is undefined if it is not known, or not shown. */
export interface Owner {
  readonly sessionId?: string | undefined;
  readonly subjectId?: string | undefined;
}

/** Returns the session or person. Throws for other data, which the contract does not allow where one of them is required. */
export function requireOne(whose: Whose): SessionOrPerson {
  if (whose.kind === 'session' || whose.kind === 'person') return whose;
  throw new Error('the operation requires a session or a person');
}

export const wholeAccount: Whose = { kind: 'account' };

/**
 * Returns whose data is named. A session counts before its person. `ownSession` is the session of a token, which counts
 * if nothing is named.
 */
export function readWhose(
  { session_id, subject_id }: { readonly [Name in keyof Names]: string | undefined },
  ownSession?: string,
): Whose {
  const sessionId = session_id ?? (subject_id === undefined ? ownSession : undefined);
  if (sessionId !== undefined) return { kind: 'session', sessionId };
  return subject_id === undefined ? wholeAccount : { kind: 'person', subjectId: subject_id };
}

/** Returns the names of the contract. Empty for the whole account. */
export function toNames(whose: Whose): Names {
  if (whose.kind === 'session') return { session_id: whose.sessionId };
  return whose.kind === 'person' ? { subject_id: whose.subjectId } : {};
}

/** Returns the names of a session and its person, as fields of a response. */
export function writeNames({ sessionId, subjectId }: Owner): Names {
  return {
    ...(sessionId !== undefined && { session_id: sessionId }),
    ...(subjectId !== undefined && { subject_id: subjectId }),
  };
}

/** Returns an unambiguous key within the account: ids contain no spaces. */
export function toWhoseKey(whose: Whose): string {
  return [whose.kind, ...Object.values(toNames(whose))].join(' ');
}

/** Returns everybody whose data a reading is: its session, its person if known, and the account. */
export function listOwners(sessionId: string, subjectId: string | undefined): Whose[] {
  const person: Whose[] = subjectId === undefined ? [] : [{ kind: 'person', subjectId }];
  return [{ kind: 'session', sessionId }, ...person, wholeAccount];
}

/** Returns true if a reading of a session and its person is among the data. */
export function includesReading(whose: Whose, sessionId: string, subjectId: string | undefined): boolean {
  const key = toWhoseKey(whose);
  return listOwners(sessionId, subjectId).some((owner) => toWhoseKey(owner) === key);
}
