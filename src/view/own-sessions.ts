import { ownSessions as settings } from '../../generated/spec.js';
import type { Grant } from '../contract/grant.js';
import { createValidationError, type Place } from '../contract/problem.js';
import type { ReadScope } from '../store/scope.js';
import { findSessions } from '../store/sessions.js';

/*
 * The session ids of a credential of one person: an OAuth token with a person, or a link. The person must not take an id
 * from others. An id therefore means, in this order:
 * 1. the session in the namespace of the person
 * 2. a session that is already of this person
 * 3. a new session in the namespace
 * Everybody else sees the id with the namespace. Sources and imports share `<subject_id>-import-<day>`, which stays.
 */

/** An id that a credential of one person chose. Plain data, because it is sent to another thread. */
export interface ChosenId extends Required<Pick<Grant, 'namespace' | 'subjectId'>> {
  readonly accountId: string;
  readonly sessionId: string;
}

/** Returns the id of the session that a credential of one person means. */
export async function findOwnSession(scope: ReadScope, { namespace, subjectId, sessionId }: ChosenId): Promise<string> {
  const own = namespace + sessionId;
  const found = await findSessions(scope, [own, sessionId]);
  return !found.has(own) && found.get(sessionId)?.subjectId === subjectId ? sessionId : own;
}

/** Returns the id of the session that a caller means. Rejects with a ProblemError about `place` if the id is too long. */
export type ResolveSession = (caller: Grant, sessionId: string, place: Place) => Promise<string>;

/** `find` looks up an id once per request. */
export function createResolveSession(find: (id: ChosenId) => Promise<string>): ResolveSession {
  // The lines of a batch share the caller of their request.
  const requests = new WeakMap<Grant, Map<string, Promise<string>>>();
  return async (caller, sessionId, place) => {
    const { accountId, namespace, subjectId } = caller;
    if (namespace === undefined || subjectId === undefined || isImport(subjectId, sessionId)) return sessionId;
    const known = requests.get(caller) ?? new Map<string, Promise<string>>();
    requests.set(caller, known);
    const finding = known.get(sessionId) ?? find({ accountId, namespace, subjectId, sessionId });
    known.set(sessionId, finding);
    const found = await finding;
    const max = settings.id_characters_max;
    if (found !== sessionId && sessionId.length > max)
      throw createValidationError('string_too_long', place, String(max));
    return found;
  };
}

/** Returns true for the session of a day that the sources and imports of a person share. */
function isImport(subjectId: string, sessionId: string): boolean {
  const prefix = `${subjectId}-import-`;
  return sessionId.startsWith(prefix) && /^\d{4}-\d\d-\d\d$/.test(sessionId.slice(prefix.length));
}
