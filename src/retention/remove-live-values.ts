import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { type AllowedCategories, removeLiveValues } from '../contract/consent.js';
import { findLiveUntil } from '../../packages/score/live.js';
import { runStatements } from '../store/rows.js';
import type { WriteScope } from '../store/scope.js';
import { createSessionWriter } from '../store/sessions.js';
import type { Store } from '../store/store.js';
import { createSubjectWriter, findStaleLive } from '../store/subjects.js';

const sessionsAtOnce = 100;

/**
 * Removes the live values of the categories that are not allowed from all sessions of a subject, in small transactions.
 * Runs after the consent is recorded: a reading in the meantime removes the values of its session itself.
 */
export async function removeDisallowedValues(
  store: Store,
  { accountId, subjectId }: { readonly accountId: string; readonly subjectId: string },
  allowed: AllowedCategories,
  nowMs: number,
): Promise<void> {
  let after = '';
  for (;;) {
    const ids = await store.transact(async (scopeOf) => {
      const scope = scopeOf(accountId);
      const some = await createSessionWriter(scope).idsOf(subjectId, after, sessionsAtOnce);
      if (some.length > 0) await removeFrom(scope, some, allowed, nowMs);
      return some;
    });
    const last = ids.at(-1);
    if (last === undefined || ids.length < sessionsAtOnce) return;
    after = last;
    await yieldToOthers();
  }
}

async function removeFrom(
  scope: WriteScope,
  ids: readonly string[],
  allowed: AllowedCategories,
  nowMs: number,
): Promise<void> {
  const sessions = createSessionWriter(scope);
  const locked = await sessions.lock(ids, nowMs);
  for (const [id, { session }] of locked) {
    const left = session && removeLiveValues(session, allowed);
    if (left && left !== session) await sessions.replace(id, left);
  }
  // A session may expire before it is locked, which then inserts a placeholder.
  await sessions.removePlaceholders([...locked].flatMap(([id, { session }]) => (session ? [] : [id])));
}

/**
 * Removes the live signals of people that are stale at a time (epoch ms), at most those of `max` people. Resolves with
 * the number of people found.
 */
export async function removeStaleSignals(store: Store, nowMs: number, max: number): Promise<number> {
  const stale = await store.run((knex) => findStaleLive(knex, nowMs, max));
  for (const { accountId, subjectId } of stale)
    await store.transact(async (scopeOf) => {
      const scope = scopeOf(accountId);
      const subjects = createSubjectWriter(scope);
      const subject = (await subjects.lock([subjectId])).get(subjectId);
      // A person who was erased in the meantime.
      if (!subject) return subjects.removePlaceholders([subjectId]);
      const { live, ...rest } = subject;
      const isStale = !live || (findLiveUntil(live) ?? 0) <= nowMs;
      // Also writes the column of a person with newer signals, so that a purge does not find the row again.
      await runStatements(scope, subjects.toSave(new Map([[subjectId, isStale ? rest : subject]])));
    });
  return stale.length;
}
