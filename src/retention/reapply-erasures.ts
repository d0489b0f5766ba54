import { randomBytes } from 'node:crypto';
import { type ErasedId, createErasedIdRecord } from '../store/erased-ids.js';
import { createPeopleTable } from '../store/people.js';
import { bindSession } from '../store/person-rows.js';
import { type ErasureParts, eraseSubject } from './erase.js';
import type { Erasures } from './erasure-file.js';

/** Returns the erasures that the database does not contain, e.g. because it was restored from a backup. */
export async function findMissingErasures({ store }: ErasureParts, record: Erasures): Promise<Erasures> {
  const missing: Erasures = new Map(record);
  for await (const page of store.iterate((knex) => createErasedIdRecord(knex).since(0)))
    for (const { accountId, digest, erasedAtMs } of page) {
      const key = `${accountId} ${digest}`;
      if ((missing.get(key)?.erasedAtMs ?? Infinity) <= erasedAtMs) missing.delete(key);
    }
  return missing;
}

/**
 * Erases the subjects and sessions whose digests are in `missing`, then stores these erasures. Resolves with the number
 * of erased subjects, and of erased sessions without a subject.
 *
 * A session without a subject may have got the subject after the backup, so that the erasure covered it.
 */
export async function reapplyErasures(parts: ErasureParts, missing: Erasures): Promise<number> {
  const { store, digestId } = parts;
  const isErased = (accountId: string, id: ErasedId) =>
    digestId(accountId, id).some((digest) => missing.has(`${accountId} ${digest}`));
  let count = 0;
  for await (const page of store.iterate((knex) => createPeopleTable(knex).sessionsWithoutSubject()))
    for (const { accountId, sessionId, incarnation } of page) {
      if (!isErased(accountId, { kind: 'session', id: sessionId })) continue;
      const subjectId = `erased-${randomBytes(12).toString('hex')}`;
      await store.transact(async (scopeOf) => {
        const scope = scopeOf(accountId);
        await bindSession(scope, { sessionId, incarnation, subjectId, isNew: false });
      });
      await eraseSubject(parts, accountId, subjectId);
      count += 1;
    }
  for await (const page of store.iterate((knex) => createPeopleTable(knex).subjects()))
    for (const { accountId, subjectId } of page) {
      if (!isErased(accountId, { kind: 'subject', id: subjectId })) continue;
      if (await eraseSubject(parts, accountId, subjectId)) count += 1;
    }
  await store.run((knex) => createErasedIdRecord(knex).add([...missing.values()]));
  return count;
}
