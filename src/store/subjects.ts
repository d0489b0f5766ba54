import type { Knex } from 'knex';
import { findLiveUntil } from '../../packages/score/live.js';
import type { Subject } from '../../packages/score/rows/person.js';
import { selectConsenting, verifyConsent } from './consents.js';
import { noVersion } from './row-cache.js';
import { rowFormats } from './row-formats.js';
import { buildFlatInsert, buildLock, lockOrInsertRows, type RowLock, type Statement, type Value } from './rows.js';
import type { KnownSubject, ReadScope, WriteScope } from './scope.js';

interface SubjectRow {
  readonly subject_id: string;
  readonly body: string | null;
}

export interface LockedSubjectRow {
  readonly subject_id: string;
  readonly version: string;
}

/** The columns and the placeholder of a locked subject. */
const subjectLock: RowLock = {
  table: 'subjects',
  idColumn: 'subject_id',
  columns: ['subject_id', 'version'],
  placeholder: () => ({ version: noVersion }),
};

/** The columns of a saved subject, in the order of `toSave`. */
const savedRows = {
  table: 'subjects',
  columns: ['account_id', 'subject_id', 'version', 'body', 'live_until_ms', 'alert_due_ms'],
};

/** Precision of `live_until_ms` in ms. */
const liveStepMs = 10 * 60_000;

/** Approximate size of a cached trigger, in characters of JSON. */
const triggerSize = 300;

/** Reads the subjects of one account. */
export function createSubjectReader({ knex, accountId }: ReadScope) {
  return {
    async find(subjectId: string): Promise<Omit<Subject, 'consent'> | undefined> {
      const key = { account_id: accountId, subject_id: subjectId };
      const row: SubjectRow | undefined = await knex('subjects').select('body').where(key).first();
      return row && readSubject(row);
    },

    /** Returns a person with their consent as readings obey it. */
    async findConsenting(subjectId: string): Promise<Subject | undefined> {
      return (await readConsenting({ knex, accountId }, [subjectId])).get(subjectId);
    },
  };
}

/** Writes the subjects of one account in a transaction. Adds the cached triggers of locked subjects to `known`. */
export function createSubjectWriter({ knex: transaction, accountId, version, caches, afterCommit, known }: WriteScope) {
  const mine = () => transaction('subjects').where({ account_id: accountId });
  const readSubjects = async (ids: string[]): Promise<Map<string, KnownSubject>> => {
    const found = await readConsenting({ knex: transaction, accountId }, ids);
    return new Map([...found].map(([id, subject]) => [id, { subject, triggers: undefined }]));
  };
  const keep = (subjectId: string, subject: Subject, characters: number) => () => {
    const triggers = known.get(subjectId);
    const others = triggerSize * (triggers?.size ?? 0);
    caches.subjects.keep(accountId, { id: subjectId, version }, { subject, triggers }, characters, others);
  };

  return {
    /** Returns the statement that locks the subjects that exist, for `lock`. */
    toLock: (subjectIds: readonly string[]): Statement => buildLock(transaction, accountId, subjectIds, subjectLock),

    /** Locks the subjects until the transaction ends. The content of a new subject is undefined. `found` is locked. */
    async lock(
      subjectIds: readonly string[],
      found?: readonly LockedSubjectRow[],
    ): Promise<Map<string, Subject | undefined>> {
      const rows = await lockOrInsertRows(transaction, accountId, subjectIds, subjectLock, found);
      const locked = rows.map((row) => ({ id: row.subject_id, version: row.version }));
      const subjects = await caches.subjects.contentsOf(accountId, locked, readSubjects);
      // A new subject has no triggers.
      for (const { id, version } of locked)
        known.set(id, version === noVersion ? new Map() : subjects.get(id)?.triggers);
      return new Map(locked.map(({ id }) => [id, subjects.get(id)?.subject]));
    },

    /**
     * Returns the statement that writes the subjects. Only an evaluation of alert rules makes them due later (`isEvaluated`):
     * others do not know that a new rule has made them due at once (see `hasten`).
     */
    toSave(subjects: ReadonlyMap<string, Subject>, isEvaluated = false): Statement[] {
      const values: Value[] = [];
      for (const [id, subject] of subjects) {
        const body = rowFormats.subject.encode(subject, caches.subjects.lengthOf(accountId, id));
        // An acceptance of the consent does not change this row.
        if (!subject.consent?.isUnverified) afterCommit.push(keep(id, subject, body.length));
        values.push(accountId, id, version, body, computeLiveUntil(subject), subject.alert?.dueMs ?? null);
      }
      return buildFlatInsert(transaction, savedRows, values, {
        key: ['account_id', 'subject_id'],
        merged: ['version', 'body', 'live_until_ms', ...(isEvaluated ? ['alert_due_ms'] : [])],
        lowered: isEvaluated ? [] : ['alert_due_ms'],
      });
    },

    /** Deletes the placeholder rows of subjects whose readings were all rejected. */
    async removePlaceholders(subjectIds: readonly string[]): Promise<void> {
      if (subjectIds.length > 0) await mine().where({ body: null }).whereIn('subject_id', subjectIds).delete();
    },

    async remove(subjectId: string): Promise<void> {
      await mine().where({ subject_id: subjectId }).delete();
    },
  };
}

/** Returns people with their consents as readings obey them. A placeholder row is absent. */
async function readConsenting(scope: ReadScope, subjectIds: readonly string[]): Promise<Map<string, Subject>> {
  const subjects = new Map<string, Subject>();
  for (const row of await selectConsenting(scope, subjectIds)) {
    const subject = readSubject({ body: row.subject_body });
    if (subject) subjects.set(row.subject_id, { ...subject, consent: verifyConsent(scope.knex, row, subject.consent) });
  }
  return subjects;
}

/** Returns people of all accounts whose live signals are stale at a time (epoch ms), at most `max`. */
export async function findStaleLive(
  knex: Knex,
  nowMs: number,
  max: number,
): Promise<Array<{ readonly accountId: string; readonly subjectId: string }>> {
  return knex('subjects')
    .select({ accountId: 'account_id', subjectId: 'subject_id' })
    .where('live_until_ms', '<=', nowMs)
    .orderBy('live_until_ms')
    .limit(max);
}

function computeLiveUntil({ live }: Subject): number | null {
  const untilMs = live && findLiveUntil(live);
  return untilMs === undefined ? null : Math.ceil(untilMs / liveStepMs) * liveStepMs;
}

/** Returns the subject of a row. Undefined for a placeholder row. */
export function readSubject({ body }: Pick<SubjectRow, 'body'>): Subject | undefined {
  return body === null ? undefined : rowFormats.subject.decode(body);
}
