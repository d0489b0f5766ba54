import { Command, InvalidArgumentError, Option } from 'commander';
import { tiers } from '../../generated/spec.js';
import { createKey, revokeKey, rotateKey, setTier, statusOf } from '../accounts/manage.js';
import type { Tier } from '../contract.js';
import type { KeyTable, ListedKey } from '../store/keys.js';

/** Runs work on the keys of the configured database, migrated first. */
export type WithKeys = (work: (keys: KeyTable) => Promise<void>) => Promise<void>;

/** `keys …`: standard output carries the key or the list and nothing else, so that it can be piped. */
export function keysCommand(withKeys: WithKeys): Command {
  const keys = new Command('keys').description('make, list, rotate and revoke API keys');
  const tier = () => new Option('--tier <tier>', 'what the account may call').choices(Object.keys(tiers));
  keys
    .command('create')
    .description('make a key; the account is made with it when it is new')
    .requiredOption('--account <name>', 'name of the account: letters, digits, . _ -', readAccount)
    .addOption(tier())
    .option('--expires <duration>', 'how long the key is valid, like 90d, 12h or 30m (default: for ever)', readDuration)
    .action((wish: { account: string; tier?: Tier; expires?: number }) =>
      withKeys(async (table) => {
        const nowMs = Date.now();
        const expiresAtMs = wish.expires === undefined ? undefined : nowMs + wish.expires;
        show(await createKey(table, { account: wish.account, tier: wish.tier, expiresAtMs }, nowMs));
      }),
    );
  keys
    .command('list')
    .description('list keys, without the keys themselves')
    .option('--account <name>', 'of this account only', readAccount)
    .action((wish: { account?: string }) => withKeys(async (table) => print(await table.list(wish.account))));
  keys
    .command('rotate')
    .description('make a successor; the old key stays valid for 24 hours')
    .argument('<key_id>', 'as `keys list` shows it')
    .option('--now', 'end the old key at once', false)
    .action((keyId: string, wish: { now: boolean }) =>
      withKeys(async (table) => show(await rotateKey(table, keyId, wish.now, Date.now()))),
    );
  keys
    .command('revoke')
    .description('end a key at once')
    .argument('<key_id>', 'as `keys list` shows it')
    .action((keyId: string) => withKeys((table) => revokeKey(table, keyId, Date.now())));
  keys
    .command('set-tier')
    .description('change what an account may call')
    .requiredOption('--account <name>', 'name of the account', readAccount)
    .addOption(tier().makeOptionMandatory())
    .action((wish: { account: string; tier: Tier }) => withKeys((table) => setTier(table, wish.account, wish.tier)));
  return keys;
}

function show({ key, keyId }: { key: string; keyId: string }): void {
  console.error(`key_id ${keyId}; the key is shown this once`);
  console.log(key);
}

function print(rows: readonly ListedKey[]): void {
  const instant = (ms: number | null) => (ms === null ? 'never' : new Date(ms).toISOString().slice(0, 16));
  const header = ['KEY_ID', 'PREFIX', 'ACCOUNT', 'TIER', 'STATUS', 'CREATED', 'EXPIRES', 'LAST_USED'];
  const lines = rows.map((row) => [
    row.keyId,
    `${row.displayPrefix}…`,
    row.account,
    row.tier,
    statusOf(row, Date.now()),
    instant(row.createdAtMs),
    instant(row.expiresAtMs),
    instant(row.lastUsedAtMs),
  ]);
  const widths = header.map((title, column) =>
    Math.max(title.length, ...lines.map((line) => line[column]?.length ?? 0)),
  );
  for (const line of [header, ...lines])
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
}

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function readDuration(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,5})([mhd])$/.exec(text) ?? [];
  const ms = Number(count) * (unitMs[unit ?? ''] ?? Number.NaN);
  if (Number.isNaN(ms)) throw new InvalidArgumentError('It is a number and a unit, like 90d, 12h or 30m.');
  return ms;
}

function readAccount(text: string): string {
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(text)) throw new InvalidArgumentError('It is 1 to 64 of: letters, digits, . _ -');
  return text;
}
