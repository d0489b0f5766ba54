import type { Knex } from 'knex';
import type { Consent } from '../../packages/score/rows/person.js';
import { nameColumns } from './columns.js';
import { listPages } from './people.js';
import { changeRows, type CodedRow, hasValidCode } from './row-codes.js';
import { createRowFormat, rowFormats } from './row-formats.js';
import { insertRows, selectRows } from './rows.js';
import type { ReadScope } from './scope.js';

/** A version of a person's consent, with everything that was recorded. */
export interface StoredConsent extends Consent {
  readonly purposes: readonly string[];
  /** When the person decided in epoch ms. */
  readonly eventMs: number;
  /** Id of the integrator's record. Absent if there is none. */
  readonly recordId?: string | undefined;
  /** When the service stored the version, in epoch ms. */
  readonly recordedAtMs: number;
  /** The latest `event_time` of this version and of all decisions that it overruled, in epoch ms. */
  readonly latestMs: number;
  /** The decision as it was sent. Absent if it was recorded as sent. */
  readonly sent?: Omit<StoredConsent, 'version' | 'recordedAtMs' | 'latestMs' | 'sent'> | undefined;
}

export const consentFormat = createRowFormat<Omit<StoredConsent, 'version' | 'recordedAtMs'>>('consent');

interface ConsentRow extends CodedRow {
  readonly version: number;
  readonly recorded_at_ms: number;
  readonly body: string;
}

/** A person with the newest version of their consent. `version` and the other columns of the consent are null without one. */
interface ConsentingRow extends ConsentRow {
  readonly subject_id: string;
  readonly subject_body: string | null;
}

export function createConsentReader({ knex, accountId }: ReadScope) {
  return {
    /** Returns at most `max` versions before a version, newest first. */
    async page(subjectId: string, max: number, before = Number.MAX_SAFE_INTEGER): Promise<StoredConsent[]> {
      const rows: ConsentRow[] = await knex('consents')
        .select()
        .where({ account_id: accountId, subject_id: subjectId })
        .andWhere('version', '<', before)
        .orderBy('version', 'desc')
        .limit(max);
      return rows.map((row) => ({
        ...toConsent(row),
        ...(!hasValidCode(knex, 'consents', row) && { isUnverified: true }),
      }));
    },
  };
}

export function createConsentWriter(scope: ReadScope) {
  const { knex: transaction, accountId } = scope;
  return {
    ...createConsentReader(scope),

    /** Adds a version, or replaces a stored one. */
    async save(
      subjectId: string,
      { version, recordedAtMs, isUnverified: _, ...content }: StoredConsent,
    ): Promise<void> {
      const body = consentFormat.encode(content);
      const row = { account_id: accountId, subject_id: subjectId, version, recorded_at_ms: recordedAtMs, body };
      const key = { account_id: accountId, subject_id: subjectId, version };
      await changeRows(
        transaction,
        'consents',
        (rows) => rows.where(key),
        (knex) => insertRows(knex, 'consents', [row], { key: Object.keys(key), merged: ['body'] }),
      );
    },
  };
}

/** Returns people with the newest version of their consents. */
export function selectConsenting({ knex, accountId }: ReadScope, ids: readonly string[]): Promise<ConsentingRow[]> {
  const sql = `select c.*, s.subject_id, s.body as subject_body from subjects s
    left join consents c on c.account_id = s.account_id and c.subject_id = s.subject_id and c.version =
      (select max(version) from consents n where n.account_id = s.account_id and n.subject_id = s.subject_id)
    where s.account_id = ? and s.subject_id in (${ids.map(() => '?').join(', ')})`;
  return selectRows(knex, { sql, bindings: [accountId, ...ids] });
}

/**
 * Returns the consent of a person as readings obey it. `copy`, which is stored with the person, allows something only if it is
 * the newest recorded version, and the row of this version has a valid code.
 */
export function verifyConsent(knex: Knex, newest: ConsentingRow, copy: Consent | undefined): Consent | undefined {
  const recorded = newest.version > 0 ? toConsent(newest) : undefined;
  const consent = copy ?? recorded;
  if (!consent) return undefined;
  const { version, categories, context, expiresAtMs } = consent;
  const isValid = toText(copy) === toText(recorded) && hasValidCode(knex, 'consents', newest);
  return { version, categories, context, expiresAtMs, ...(!isValid && { isUnverified: true }) };
}

/** Returns the people whose consent, as readings use it, is not the newest recorded version, e.g. `acc_1/p-1`. */
export async function findChangedConsents(knex: Knex): Promise<string[]> {
  const columns = nameColumns('accountId subjectId body');
  const people = knex('subjects').where('body', 'like', '%"consent":%').select(columns);
  const changed: string[] = [];
  for await (const page of listPages<typeof columns>(people, 'accountId subjectId')) {
    const ids = page.map(({ accountId, subjectId }) => [accountId, subjectId]);
    const rows = await knex('consents').whereIn(['account_id', 'subject_id'], ids).orderBy('version');
    const newest = new Map(rows.map((row) => [`${row.account_id}/${row.subject_id}`, toText(toConsent(row))]));
    for (const { accountId, subjectId, body } of page) {
      const used = toText(rowFormats.subject.decode(body).consent);
      if (used !== undefined && used !== newest.get(`${accountId}/${subjectId}`))
        changed.push(`${accountId}/${subjectId}`);
    }
  }
  return changed;
}

/** Returns what readings use of a consent, as text. */
function toText(it: Consent | undefined): string | undefined {
  return it && JSON.stringify([it.version, it.categories, it.context, it.expiresAtMs]);
}

function toConsent({ version, recorded_at_ms: recordedAtMs, body }: ConsentRow): StoredConsent {
  return { ...consentFormat.decode(body), version, recordedAtMs: Number(recordedAtMs) };
}
