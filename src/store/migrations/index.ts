import type { Knex } from 'knex';
import { accounts } from './accounts.js';
import { erasedIds } from './erased-ids.js';
import { modelVersions } from './model-versions.js';
import { readingSignals } from './reading-signals.js';
import { secretsKey } from './secrets-key.js';
import { sessions } from './sessions.js';
import { subjects } from './subjects.js';
import { usage } from './usage.js';
import { webhookLocks } from './webhook-locks.js';
import { webhooks } from './webhooks.js';

/**
 * All migrations, in order. The database stores their names, so the name of a released migration never changes. MySQL
 * commits each schema statement separately. Each migration is therefore idempotent, so that it can run again after a
 * crash.
 */
export const migrations: ReadonlyArray<{ name: string; run: (knex: Knex) => Promise<void> }> = [
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
];
