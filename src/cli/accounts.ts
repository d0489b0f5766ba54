import { Command } from 'commander';
import { jsonOption } from '../contract/command-line.js';
import { requireAccount } from '../keys/manage.js';
import { changeSetting, describeSettings, readSettings, settingLines } from '../keys/settings.js';
import type { AccountRow } from '../store/keys.js';
import { printTable, type WithKeys } from './keys.js';

export function createAccountsCommand(withKeys: WithKeys): Command {
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
      withKeys((table) => changeSetting(table, { account, name, word }, Date.now())),
    );
  return accounts;
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
