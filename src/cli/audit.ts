import { Command, Option } from 'commander';
import { verifyRecord } from '../access-record/verify.js';
import type { Config } from '../config/config.js';
import { requireSecretsKeys } from '../config/secrets-key.js';
import { currentActor } from '../keys/audit.js';
import { createDigestId } from '../store/erased-ids.js';
import { createKeyRecordId } from '../keys/identify.js';
import { requireAccount } from '../keys/manage.js';
import { runStartStep } from '../observe/start.js';
import { findMatchingKeys } from '../serve/secrets-keys.js';
import type { ChainedEntry } from '../store/access-queries.js';
import { createAccessTable } from '../store/accesses.js';
import type { ListedAuditEntry } from '../store/key-audit.js';
import { createKeyTable } from '../store/keys.js';
import { addEntries, codeRows, transactCoded } from '../store/row-codes.js';
import type { Store } from '../store/store.js';
import { printTable, readAccount, readLimit } from './keys.js';
import type { WithStore } from './with-store.js';

interface AuditOptions {
  readonly account?: string;
  readonly subject?: string;
  readonly limit: number;
  readonly json: boolean;
  readonly keys: boolean;
  readonly verify: boolean;
  readonly accept: boolean;
  readonly reason?: string;
}

export function createAuditCommand(withStore: WithStore): Command {
  return new Command('audit')
    .description(
      'list who read, exported or erased personal data, newest first, or verify this record. With --keys, list changes ' +
        'of keys and accounts',
    )
    .option('--account <name>', 'entries of this account only', readAccount)
    .option('--subject <id>', "accesses to this person's data only. Requires --account")
    .option('--limit <count>', 'maximum number of entries', readLimit, 100)
    .option('--json', 'print one JSON object per entry', false)
    .addOption(
      new Option('--keys', 'list who changed keys, tiers and settings').default(false).conflicts(['subject', 'verify']),
    )
    .option(
      '--verify',
      'find changed, removed and reordered entries and rows instead. Ends with status 1 if there are any',
      false,
    )
    .addOption(
      new Option(
        '--accept',
        'enter in the record that a row which --verify names is as it should be, or all of them. The service then obeys it',
      )
        .default(false)
        .conflicts(['subject', 'verify', 'keys']),
    )
    .option('--reason <text>', 'why it is, for the audit log. Required with --accept')
    .argument('[row...]', 'TABLE KEY of the row to accept, as --verify names it')
    .action((row: string[], options: AuditOptions) =>
      withStore((store, config) => {
        if (options.accept) return accept(store, config, row, options.reason);
        if (row.length > 0) throw new Error('TABLE KEY requires --accept');
        return options.verify ? verify(store, config, options) : list(store, options);
      }),
    );
}

async function list(store: Store, { account, subject, limit, json, keys: isOfKeys }: AuditOptions): Promise<void> {
  const [keys, accesses] = [store.use(createKeyTable), store.use(createAccessTable)];
  if (subject !== undefined && account === undefined) throw new Error('--subject requires --account');
  const accountId = account && requireAccount(await keys.accountByName(account), account).accountId;
  if (isOfKeys) return print(changeColumns, (await keys.auditEntries(limit, accountId)).map(toChange), json);
  const names = new Map((await keys.listAccounts()).map(({ accountId, name }) => [accountId, name]));
  const entries =
    accountId === undefined || subject === undefined
      ? await accesses.newest(limit, accountId)
      : await accesses.page(accountId, await accesses.findPseudonym(accountId, subject), undefined, limit);
  const rows = entries.map((entry) => toAccess(entry, names.get(entry.accountId) ?? entry.accountId));
  print(accessColumns, rows, json);
}

function print(columns: readonly string[], rows: readonly object[], isJson: boolean): void {
  if (isJson) for (const row of rows) console.log(JSON.stringify(row));
  else
    printTable(
      columns.map((name) => name.toUpperCase()),
      rows.map((row) => Object.values(row).map(toCell)),
    );
}

/** Returns e.g. `scopes=ingest,read expires_at=2026-12-21T09:30:00.000Z` for the details of a change. */
function toCell(value: string | object | null): string {
  if (value === null || typeof value === 'string') return value ?? '-';
  return Object.entries(value)
    .map(([name, it]) => `${name}=${String(it)}`)
    .join(' ');
}

const accessColumns = ['minute', 'account', 'action', 'operation', 'key_id', 'credential', 'subject'];
const changeColumns = ['at', 'action', 'account', 'key_id', 'prefix', 'actor', 'details'];

function toAccess({ atMs, action, operation, keyId, credential, subject }: ChainedEntry, account: string) {
  return { minute: new Date(atMs).toISOString(), account, action, operation, key_id: keyId, credential, subject };
}

function toChange({ atMs, action, account, keyId, keyPrefix, actor, details }: ListedAuditEntry) {
  return { at: new Date(atMs).toISOString(), action, account, key_id: keyId, prefix: keyPrefix, actor, details };
}

async function verify(store: Store, config: Config, { json }: AuditOptions): Promise<void> {
  const { corrections: _, ...verified } = await readAndVerify(store, config);
  const { chains, entries, faults, silences } = verified;
  if (json) console.log(JSON.stringify(verified));
  else for (const line of [...faults, ...silences.map((it) => `note: ${it}`)]) console.log(line);
  if (faults.length > 0) throw new Error(`the access record was changed: ${faults.length} faults`);
  if (!json) console.log(`Verified ${entries} entries in ${chains} chains. None was changed, removed or reordered.`);
}

async function readAndVerify(store: Store, { retention, ...config }: Config) {
  const secretsKeys = await runStartStep('SECRETS_KEY', async () => requireSecretsKeys({ ...config, retention }));
  const nowMs = Date.now();
  // Starts one hour after the edge of the purge, so that a chain in deletion is not verified.
  const expiredBeforeMs = nowMs - retention.accessesMs + 3_600_000;
  const options = { secretsKeys, digestId: createDigestId(secretsKeys), expiredBeforeMs, nowMs };
  return store.readSnapshot((knex) => verifyRecord(knex, options));
}

/** Codes a row as it is, or all rows, and enters the reason in the audit log. */
async function accept(store: Store, config: Config, named: readonly string[], reason = ''): Promise<void> {
  if (reason === '') throw new Error('--accept requires --reason TEXT: state why the row is as it should be');
  if (named.length !== 0 && named.length !== 2) throw new Error('state TABLE KEY of one row, or neither for all rows');
  const [table = 'all', key] = named;
  await runStartStep('SECRETS_KEY', () => findMatchingKeys(store, config));
  await store.use(createKeyTable).transact(async (writer) => {
    const { account_id = '-', code = null } = key === undefined ? {} : await writer.acceptRow(table, key);
    const keyId = code === null ? null : String(code);
    const entry = { accountId: String(account_id), entryId: createKeyRecordId('aud', 20), atMs: Date.now() };
    const details = { table, reason };
    await writer.audit({ ...entry, action: 'accept', keyId, keyPrefix: null, actor: currentActor(), details });
  });
  if (key === undefined) return acceptAll(store, config);
  console.log(`Accepted the row ${key} of ${table} as it is.`);
}

/** Codes the rows as they are, and adds entries after which they are the expected ones. */
async function acceptAll(store: Store, config: Config): Promise<void> {
  await store.run((knex) => codeRows(knex, (code, codes) => code === null || !codes.includes(code)));
  const { corrections } = await readAndVerify(store, config);
  if (corrections.length > 0)
    await store.run((knex) => transactCoded(knex, async (transaction) => addEntries(transaction, corrections)));
  console.log('Accepted the rows as they are. `audit --verify` lists what else is wrong.');
}
