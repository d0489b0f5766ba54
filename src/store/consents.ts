import type { Knex } from 'knex';
import type { Consent } from '../../packages/score/rows/person.js';
import { nameColumns } from './columns.js';
import { listPages } from './people.js';
import { changeRows } from './row-codes.js';
import { rowFormats } from './row-formats.js';
import { insertRows } from './rows.js';
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

interface ConsentRow {
  readonly version: number;
  readonly recorded_at_ms: number;
  readonly body: string;
}

export function createConsentReader({ knex, accountId }: ReadScope) {
  return {
    /** Returns at most `max` versions before a version, newest first. */
    async page(subjectId: string, max: number, before = Number.MAX_SAFE_INTEGER): Promise<StoredConsent[]> {
      const rows: ConsentRow[] = await knex('consents')
        .select('version', 'recorded_at_ms', 'body')
        .where({ account_id: accountId, subject_id: subjectId })
        .andWhere('version', '<', before)
        .orderBy('version', 'desc')
        .limit(max);
      return rows.map(toConsent);
    },
  };
}

export function createConsentWriter(scope: ReadScope) {
  const { knex: transaction, accountId } = scope;
  return {
    ...createConsentReader(scope),

    /** Adds a version, or replaces a stored one. */
    async save(subjectId: string, { version, recordedAtMs, ...content }: StoredConsent): Promise<void> {
      const body = rowFormats.consent.encode(content);
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

/** Returns the people whose consent, as readings use it, is not the newest recorded version, e.g. `acc_1/p-1`. */
export async function findChangedConsents(knex: Knex): Promise<string[]> {
  const columns = nameColumns('accountId subjectId body');
  const people = knex('subjects').where('body', 'like', '%"consent":%').select(columns);
  const toText = (it: Consent | undefined) =>
    it && JSON.stringify([it.version, it.categories, it.context, it.expiresAtMs]);
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

function toConsent({ version, recorded_at_ms: recordedAtMs, body }: ConsentRow): StoredConsent {
  return { ...rowFormats.consent.decode(body), version, recordedAtMs: Number(recordedAtMs) };
}
