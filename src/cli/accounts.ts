import { Command, Option } from 'commander';
import { jsonOption } from '../contract/command-line.js';
import { requireAccount } from '../keys/manage.js';
import { changeSetting, describeSettings, readSettings, settingLines } from '../keys/settings.js';
import { type AccountRow, createKeyTable } from '../store/keys.js';
import { createUsageHours, type LoadOfAccount } from '../store/usage-hours.js';
import { printTable, readLimit, type WithKeys } from './keys.js';
import type { WithStore } from './with-store.js';

/** Orders of `accounts top` with their columns, the default first. */
const orders = { calls: 'calls', cpu: 'cpu_ms', rows: 'row_count', bytes: 'bytes' } as const;

export function createAccountsCommand(withStore: WithStore): Command {
  const withKeys: WithKeys = (work) => withStore((store) => work(store.use(createKeyTable)));
  const accounts = new Command('accounts').description('show accounts, and change their settings');
  accounts
    .command('show')
    .description('show all accounts with their settings, or one account')
    .argument('[name]', 'name of the account')
    .option(...jsonOption)
    .action((name: string | undefined, { json }: { json: boolean }) =>
      withKeys(async (table) => {
        if (name === undefined) return show(await table.listAccounts(), json);
        const row = requireAccount(await table.accountByName(name), name);
        if (json) console.log(JSON.stringify(toJson(row)));
        else show([row], false);
      }),
    );
  accounts
    .command('set')
    .description('change a setting of an account. Every process applies the change within one second')
    .argument('<name>', 'name of the account')
    .argument('<setting>', 'name of the setting')
    .argument('<value>', 'new value')
    .addHelpText('after', `\nSettings, with the default first:\n${settingLines.map((line) => `  ${line}`).join('\n')}`)
    .action((account: string, name: string, word: string) =>
      withStore((store, { maxTimestampAgeMs, retention: { readingsMaxMs } }) => {
        // A resent reading is detected only while the original reading is stored.
        const hours = [Math.ceil(maxTimestampAgeMs / 3_600_000), readingsMaxMs / 3_600_000] as const;
        return changeSetting(store.use(createKeyTable), { account, name, word }, Date.now(), hours);
      }),
    );
  accounts
    .command('top')
    .description('show the accounts that cause the most load, the highest first')
    .addOption(new Option('--by <figure>', 'order').choices(Object.keys(orders)).default('calls'))
    .option('--hours <count>', 'hours before the present one, of the last 48', readLimit, 1)
    .option('--limit <count>', 'maximum number of accounts', readLimit, 20)
    .option(...jsonOption)
    .action(({ by, hours, limit, json }: TopOptions) =>
      withStore(async (store) => {
        const sinceMs = Date.now() - hours * 3_600_000;
        showTop(await store.use(createUsageHours).findTop(orders[by], sinceMs, limit), json);
      }),
    );
  return accounts;
}

type TopOptions = Record<'hours' | 'limit', number> & { readonly by: keyof typeof orders; readonly json: boolean };

function showTop(found: readonly LoadOfAccount[], isJson: boolean): void {
  const rows = found.map(({ name, account_id, ...sums }) => {
    const [calls, cpu_ms, rows, bytes] = [sums.calls, sums.cpu_ms, sums.row_count, sums.bytes].map(Number);
    return { name, account_id, calls, cpu_seconds: Number(cpu_ms) / 1000, rows, bytes };
  });
  if (isJson) return console.log(JSON.stringify(rows));
  if (rows.length === 0)
    return console.log('No load is stored for these hours. Each process stores its sums once per minute.');
  const cells = rows.map((row) => Object.values(row).map(String));
  printTable(['NAME', 'ACCOUNT', 'CALLS', 'CPU-SECONDS', 'ROWS', 'BYTES'], cells);
}

function show(rows: readonly AccountRow[], isJson: boolean): void {
  if (isJson) return console.log(JSON.stringify(rows.map(toJson)));
  const names = describeSettings({}).map(([name]) => name.toUpperCase());
  const cells = rows.map(({ name, tier, createdAtMs, settings }) => [
    name,
    tier,
    new Date(createdAtMs).toISOString().slice(0, 16),
    ...describeSettings(settings).map(([, word]) => word),
  ]);
  printTable(['NAME', 'TIER', 'CREATED', ...names], cells);
}

function toJson({ name, tier, createdAtMs, settings }: AccountRow) {
  return { name, tier, created_at: new Date(createdAtMs).toISOString(), settings: readSettings(settings) };
}
