import type { Knex } from 'knex';
import { accessRecord } from './access-record.js';
import { accountSettings } from './account-settings.js';
import { accounts } from './accounts.js';
import { consent } from './consent.js';
import { erasedIds } from './erased-ids.js';
import { eventTimes, readEventTimes } from './event-times.js';
import { feedback } from './feedback.js';
import { leanReadings } from './lean-readings.js';
import { modelVersions } from './model-versions.js';
import { moveReadings } from './move-readings.js';
import { readingSignals } from './reading-signals.js';
import { receiptKeys } from './receipt-keys.js';
import { secretsKey } from './secrets-key.js';
import { schemaLedger } from './schema-ledger.js';
import { sessions } from './sessions.js';
import { subjectHours } from './subject-hours.js';
import { subjects } from './subjects.js';
import { usage } from './usage.js';
import { webhookLocks } from './webhook-locks.js';
import { webhooks } from './webhooks.js';

export interface Migration {
  readonly name: string;
  readonly run: (knex: Knex) => Promise<void>;
  /**
   * Changes some rows. Returns their number, 0 when none remain. Each call runs in its own transaction, so that a large
   * table blocks nobody for long and an interrupted migration continues.
   */
  readonly moveSome?: (transaction: Knex) => Promise<number>;
  /**
   * True if earlier versions cannot use the schema afterwards: they then refuse it. A new table, index or column with a
   * default breaks nothing. Split other changes over two releases: the first one reads and writes both forms.
   */
  readonly breaksEarlier?: true;
}

/**
 * All migrations, in order. The database stores their names, so the name of a released migration never changes. MySQL
 * commits each schema statement separately. Each migration is therefore idempotent, so that it can run again after a
 * crash.
 */
export const migrations: readonly Migration[] = [
  { name: 'initial-accounts', run: accounts },
  { name: 'initial-sessions', run: sessions },
  { name: 'initial-subjects', run: subjects },
  { name: 'initial-webhooks', run: webhooks },
  { name: 'initial-usage', run: usage },
  { name: 'reading-signals', run: readingSignals },
  { name: 'webhook-locks', run: webhookLocks },
  { name: 'reading-model-versions', run: modelVersions },
  { name: 'secrets-key', run: secretsKey },
  { name: 'erased-ids', run: erasedIds },
  { name: 'lean-readings', run: leanReadings },
  { name: 'move-readings', run: async () => undefined, moveSome: moveReadings },
  { name: 'account-settings', run: accountSettings },
  { name: 'event-times', run: eventTimes, moveSome: readEventTimes },
  { name: 'subject-hours', run: subjectHours },
  { name: 'access-record', run: accessRecord },
  { name: 'receipt-keys', run: receiptKeys },
  { name: 'feedback', run: feedback },
  { name: 'consent', run: consent },
  { name: 'schema-ledger', run: schemaLedger },
];
