import { subjectProfile as settings } from '../../generated/spec.js';
import type { ReadScope } from './scope.js';
import { readSubject } from './subjects.js';

interface Row {
  readonly body: string | null;
  /** Number of stored sessions, up to `sessions_counted_max`. */
  readonly sessions: number;
  /** Start of the oldest and of the newest stored session, in epoch ms. Null if no session is stored. */
  readonly firstStartedAtMs: number | null;
  readonly lastStartedAtMs: number | null;
}

/**
 * Returns a subject of the account and its stored sessions. Undefined for an unknown subject. Runs one statement, so that an
 * erasure is either visible in all values or in none. It reads one subject and the index of its sessions.
 */
export async function findSubjectSummary({ knex, accountId }: ReadScope, subjectId: string) {
  const key = { account_id: accountId, subject_id: subjectId };
  const sessions = () => knex('sessions').where(key);
  const counted = sessions().select('started_at_ms').limit(settings.sessions_counted_max);
  const row: Row | undefined = await knex('subjects')
    .select('body')
    .select({
      sessions: knex.count('*').from(counted.as('counted')),
      firstStartedAtMs: sessions().min('started_at_ms'),
      lastStartedAtMs: sessions().max('started_at_ms'),
    })
    .where(key)
    .first();
  const subject = row && readSubject(row);
  if (!subject) return undefined;
  const { firstStartedAtMs, lastStartedAtMs } = row;
  return { subject, sessions: Number(row.sessions), firstStartedAtMs, lastStartedAtMs };
}
