import type { Knex } from 'knex';
import { accounts } from './accounts.js';
import { keyUse } from './key-use.js';
import { clusteredTriggers } from './clustered-triggers.js';
import { sessions } from './sessions.js';
import { subjects } from './subjects.js';
import { webhooks } from './webhooks.js';
import { versions } from './versions.js';
import { usage } from './usage.js';

/**
 * In order; the names are what the database remembers, so neither is ever changed. MySQL commits each statement of
 * a schema change by itself, so a migration must bear being run again after a crash in its middle.
 */
export const migrations: ReadonlyArray<{ name: string; run: (knex: Knex) => Promise<void> }> = [
  { name: '001-accounts', run: accounts },
  { name: '002-sessions', run: sessions },
  { name: '003-subjects', run: subjects },
  { name: '004-webhooks', run: webhooks },
  { name: '005-usage', run: usage },
  { name: '006-key-use', run: keyUse },
  { name: '007-versions', run: versions },
  { name: '008-clustered-triggers', run: clusteredTriggers },
];
