import { Command } from 'commander';
import { verifyRecord } from '../access-record/verify.js';
import type { Config } from '../config/config.js';
import { requireSecretsKeys } from '../config/secrets-key.js';
import { createDigestId } from '../keys/digest-id.js';
import { requireAccount } from '../keys/manage.js';
import { runStartStep } from '../observe/start.js';
import type { ChainedEntry } from '../store/access-queries.js';
import { createAccessTable } from '../store/accesses.js';
import { createKeyTable } from '../store/keys.js';
import type { Store } from '../store/store.js';
import { printTable, readAccount, readLimit } from './keys.js';
import type { WithStore } from './with-store.js';

interface AuditOptions {
  readonly account?: string;
  readonly subject?: string;
  readonly limit: number;
  readonly json: boolean;
  readonly verify: boolean;
}

export function createAuditCommand(withStore: WithStore): Command {
  return new Command('audit')
    .description('list who read, exported or erased personal data, newest first, or verify this record')
    .option('--account <name>', 'accesses of this account only', readAccount)
    .option('--subject <id>', "accesses to this person's data only. Requires --account")
    .option('--limit <count>', 'maximum number of accesses', readLimit, 100)
    .option('--json', 'print one JSON object per access', false)
    .option(
      '--verify',
      'find changed, removed and reordered entries instead. Ends with status 1 if there are any',
      false,
    )
    .action((options: AuditOptions) =>
      withStore((store, config) => (options.verify ? verify(store, config, options) : list(store, options))),
    );
}

async function list(store: Store, { account, subject, limit, json }: AuditOptions): Promise<void> {
  const [keys, accesses] = [store.use(createKeyTable), store.use(createAccessTable)];
  if (subject !== undefined && account === undefined) throw new Error('--subject requires --account');
  const names = new Map((await keys.listAccounts()).map(({ accountId, name }) => [accountId, name]));
  const accountId = account && requireAccount(await keys.accountByName(account), account).accountId;
  const entries =
    accountId === undefined || subject === undefined
      ? await accesses.newest(limit, accountId)
      : await accesses.page(accountId, await accesses.findPseudonym(accountId, subject), undefined, limit);
  const rows = entries.map((entry) => toRow(entry, names.get(entry.accountId) ?? entry.accountId));
  if (json) for (const row of rows) console.log(JSON.stringify(row));
  else
    printTable(
      titles,
      rows.map((row) => Object.values(row)),
    );
}

const titles = ['MINUTE', 'ACCOUNT', 'ACTION', 'OPERATION', 'KEY_ID', 'CREDENTIAL', 'SUBJECT'];

function toRow({ atMs, action, operation, keyId, credential, subject }: ChainedEntry, account: string) {
  return { minute: new Date(atMs).toISOString(), account, action, operation, key_id: keyId, credential, subject };
}

async function verify(store: Store, config: Config, { json }: AuditOptions): Promise<void> {
  const secretsKeys = await runStartStep('SECRETS_KEY', async () => requireSecretsKeys(config));
  // Starts one hour after the edge of the purge, so that a chain in deletion is not verified.
  const expiredBeforeMs = Date.now() - config.retention.accessesMs + 3_600_000;
  const verified = await verifyRecord(
    store.use(createAccessTable),
    secretsKeys,
    createDigestId(secretsKeys),
    expiredBeforeMs,
  );
  const { chains, entries, faults } = verified;
  if (json) console.log(JSON.stringify(verified));
  else for (const fault of faults) console.log(fault);
  if (faults.length > 0) throw new Error(`the access record was changed: ${faults.length} faults`);
  if (!json) console.log(`Verified ${entries} entries in ${chains} chains. None was changed, removed or reordered.`);
}
