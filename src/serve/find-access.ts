import type { Access } from '../access-record/record.js';
import type { Caller, OperationId } from '../contract/contract.js';
import { findOperation } from '../operations/index.js';
import type { AnyInput } from '../operations/operation.js';
import { everyone } from '../store/access-queries.js';

const actions = { reads: 'read', exports: 'export', erases: 'erase', none: undefined, writes: undefined } as const;

/**
 * Returns the entry of a request for the access record. Undefined if its operation does not read, export or erase personal
 * data. `readSession` is the session of the data, if the request does not name it.
 */
export function findAccess(
  operation: OperationId,
  { query, params }: Pick<AnyInput, 'query' | 'params'>,
  caller: Caller | undefined,
  readSession: string | undefined,
): Access | undefined {
  const action = actions[findOperation(operation).personalData];
  if (!action || !caller) return undefined;
  const { subject_id: subjectId, session_id: sessionId = readSession } = { ...object(query), ...object(params) };
  const data = subjectId !== undefined ? { subjectId } : sessionId !== undefined ? { sessionId } : everyone;
  const { accountId, keyId, grant } = caller;
  return { accountId, keyId, credential: grant ? 'token' : 'key', action, operation, data };
}

function object(part: unknown): Readonly<Record<string, string>> {
  return (part ?? {}) as Readonly<Record<string, string>>;
}
