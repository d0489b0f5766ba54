import { Command, InvalidArgumentError, Option } from 'commander';
import { enums, keys as settings, tiers } from '../../generated/spec.js';
import { findHub } from '../../packages/recordings/sources/index.js';
import { formatCommandLine, jsonOption } from '../contract/command-line.js';
import type { Schema, Scope, Tier } from '../contract/contract.js';
import { ProblemError } from '../contract/problem.js';
import { currentActor } from '../keys/audit.js';
import { describeStatus } from '../keys/identify.js';
import { createKey, KeyError, requireAccount, requireOnlyAccount, revokeKey, rotateKey } from '../keys/manage.js';
import { parseNetworks } from '../keys/networks.js';
import { allScopes, parseScopes } from '../keys/scopes.js';
import { createSourceKey } from '../keys/source-keys.js';
import type { KeyTable, ListedKey } from '../store/keys.js';
import type { ListedMade } from '../store/list-made.js';

/** Migrates the configured database and runs work on its keys. See `withStore`. */
export type WithKeys = (work: (keys: KeyTable) => Promise<void>, mayCreate?: boolean) => Promise<void>;

const dayMs = 86_400_000;
/** A hub requires its signing secret, which must not stand in a command line. */
const appNames = enums.Source.filter((name) => !findHub(name));

/** Creates the `keys` command. Standard output contains only the key or the list, so that it can be piped. */
export function createKeysCommand(withKeys: WithKeys): Command {
  const keys = new Command('keys').description('create, list, rotate and revoke API keys');
  keys
    .command('create')
    .description('create a key, and its account if it does not exist')
    .option('--account <name>', 'name of the account: letters, digits, . _ - (default: the only account)', readAccount)
    .addOption(new Option('--tier <tier>', `tier of the account: ${tierHelp}`).choices(Object.keys(tiers)))
    .option(
      '--scopes <list>',
      `scopes of the key: ${allScopes.join(',')} (default: all except sources)`,
      parseList(parseScopes),
    )
    .option(
      '--networks <list>',
      'addresses that may use the key, like 10.0.0.0/8,2001:db8::/32 (default: all)',
      parseList(parseNetworks),
    )
    .option('--expires <duration>', 'how long the key is valid, like 90d, 12h or 30m (default: forever)', readDuration)
    .option(
      '--subject <subject_id>',
      'create a source key of this person instead, which an app posts with; see --source',
      requireMatch(
        /^(?!\.\.?$)[!-~]{1,238}$/,
        'It must have 1 to 238 visible ASCII characters without spaces, and not be . or ..',
      ),
    )
    .addOption(new Option('--source <source>', 'app of the source key').choices(appNames))
    .option('--time-zone <zone>', 'zone of the times that the app sends without one, like Europe/Berlin')
    .action(({ expires, subject, source, timeZone, ...options }: CreateOptions) =>
      withKeys(async (table) => {
        const nowMs = Date.now();
        const account = options.account ?? (await requireOnlyAccount(table));
        if (subject !== undefined || source !== undefined) {
          const { scopes, networks, tier } = options;
          if (subject === undefined || source === undefined) throw new KeyError('set --subject and --source together');
          if (scopes ?? networks ?? tier) throw new KeyError('a source key has no scopes, networks and tier');
          const days = expires === undefined ? {} : { expires_in_days: expires / dayMs };
          const request = { subject_id: subject, source, ...days, ...(timeZone && { time_zone: timeZone }) };
          return show(await createSourceKeyOf(table, account, request, nowMs));
        }
        const expiresAtMs = expires === undefined ? undefined : nowMs + expires;
        const issued = await createKey(table, { ...options, account, expiresAtMs }, nowMs);
        if (issued.newTier) console.error(describeNewAccount(account, issued.newTier));
        show(issued);
      }, true),
    );
  keys
    .command('list')
    .description('list keys, without the keys themselves')
    .option('--account <name>', 'of this account only', readAccount)
    .option('--all', 'with the source keys, hubs and links, with the end and the key that made each', false)
    .option(...jsonOption)
    .action(({ account, json, all }: ListOptions) =>
      withKeys(async (table) => {
        const nowMs = Date.now();
        const keys = await table.list(account);
        if (all) printAll(keys, await table.listMade(nowMs, account), nowMs, json);
        else printKeys(keys, nowMs, json);
      }),
    );
  keys
    .command('rotate')
    .description('create a successor with the same scopes and networks; the old key stays valid for 24 hours')
    .argument('<key_id>', 'id of the key, as shown by `keys list`')
    .option('--now', 'end the old key immediately', false)
    .action((keyId: string, options: { now: boolean }) =>
      withKeys(async (table) => show(await rotateKey(table, keyId, options.now, Date.now()))),
    );
  keys
    .command('revoke')
    .description('end a key immediately')
    .argument('<key_id>', 'id of the key, as shown by `keys list`')
    .action((keyId: string) => withKeys((table) => revokeKey(table, keyId, Date.now())));
  return keys;
}

const tierHelp = `${Object.keys(tiers).map(describeTier).join(', ')} (default of a new account: ${settings.default_tier})`;

/** Returns e.g. `solo with 50,000 calls per month`. */
function describeTier(tier: string): string {
  const calls = tiers[tier as Tier].monthly_calls;
  return `${tier} with ${calls === null ? 'unlimited' : calls.toLocaleString('en-US')} calls per month`;
}

function describeNewAccount(account: string, tier: string): string {
  const change = formatCommandLine('accounts', `set ${account} tier TIER`);
  return `new account ${account} of tier ${describeTier(tier)}; to change the tier: ${change}`;
}

/** Creates a source key that depends on its account alone. */
async function createSourceKeyOf(table: KeyTable, name: string, request: Schema<'SourceKeyRequest'>, nowMs: number) {
  return table
    .transact(async (writer) => {
      const { accountId } = requireAccount(await writer.accountByName(name), name);
      const { key, row } = await createSourceKey(
        writer,
        { accountId, keyId: null, actor: currentActor() },
        request,
        nowMs,
      );
      return { key: key ?? '', keyId: row.sourceKeyId };
    })
    .catch((error: unknown) => {
      // The message of the error names no field.
      throw error instanceof ProblemError ? new KeyError(error.faults?.[0]?.detail ?? error.message) : error;
    });
}

interface CreateOptions {
  readonly subject?: string;
  readonly source?: Schema<'Source'>;
  readonly timeZone?: string;
  readonly account?: string;
  readonly tier?: Tier;
  readonly scopes?: readonly Scope[];
  readonly networks?: readonly string[];
  /** Lifetime in milliseconds. */
  readonly expires?: number;
}

interface ListOptions {
  readonly all: boolean;
  readonly account?: string;
  readonly json: boolean;
}

function show({ key, keyId }: { key: string; keyId: string }): void {
  console.error(`key_id ${keyId}; the key is shown only once`);
  console.log(key);
}

function printKeys(keys: readonly ListedKey[], nowMs: number, isJson: boolean): void {
  const titles = ['KEY_ID', 'PREFIX', 'ACCOUNT', 'TIER', 'STATUS', 'SCOPES', 'NETWORKS'];
  const rows = keys.map((key) => {
    const { keyId: key_id, displayPrefix: prefix, account, tier, scopes, networks } = key;
    const times = { created_at: toIso(key.createdAtMs), expires_at: toIso(key.expiresAtMs) };
    const status = describeStatus(key, nowMs);
    return { key_id, prefix, account, tier, status, scopes, networks, ...times, last_used_at: toIso(key.lastUsedAtMs) };
  });
  printRows([...titles, 'CREATED', 'EXPIRES', 'LAST_USED'], rows, isJson);
}

/** Prints every stored credential. */
function printAll(keys: readonly ListedKey[], made: readonly ListedMade[], nowMs: number, isJson: boolean): void {
  const all = [
    ...keys.map((key) => ({
      ...key,
      kind: 'key',
      id: key.keyId,
      makerKeyId: null,
      status: describeStatus(key, nowMs),
    })),
    ...made.map((it) => ({ ...it, status: 'valid' })),
  ];
  const rows = all.map(({ kind, id, account, status, makerKeyId, createdAtMs, expiresAtMs }) => ({
    ...{ kind, id, account, status, maker_key_id: makerKeyId },
    ...{ created_at: toIso(createdAtMs), expires_at: toIso(expiresAtMs) },
  }));
  console.error('tokens are not stored: a session token ends with its key, an OAuth token by its time');
  printRows(['KIND', 'ID', 'ACCOUNT', 'STATUS', 'MAKER', 'CREATED', 'EXPIRES'], rows, isJson);
}

/** Prints the rows as JSON, or as a table with a title per field. */
function printRows(titles: readonly string[], rows: ReadonlyArray<Record<string, Field>>, isJson: boolean): void {
  if (isJson) return console.log(JSON.stringify(rows));
  printTable(
    titles,
    rows.map((row) => Object.entries(row).map(([name, value]) => toCell(name, value))),
  );
}

type Field = string | readonly string[] | null;

function toCell(name: string, value: Field): string {
  const text = value?.toString();
  if (name.endsWith('_at')) return text?.slice(0, 16) ?? 'never';
  if (text === undefined) return name === 'maker_key_id' ? '-' : 'all';
  return name === 'prefix' ? `${text}…` : text;
}

function toIso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

export function printTable(header: readonly string[], rows: ReadonlyArray<readonly string[]>): void {
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of [header, ...rows]) {
    const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    console.log(cells.join('  ').trimEnd());
  }
}

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Returns a duration in ms. */
export function readDuration(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,5})([mhd])$/.exec(text) ?? [];
  const ms = Number(count) * (unitMs[unit ?? ''] ?? Number.NaN);
  if (Number.isNaN(ms)) throw new InvalidArgumentError('It must be a number with a unit, like 90d, 12h or 30m.');
  return ms;
}

/** Returns a parser of texts that match. Others are rejected with what they must be. */
function requireMatch(pattern: RegExp, rule: string): (text: string) => string {
  return (text) => {
    if (!pattern.test(text)) throw new InvalidArgumentError(rule);
    return text;
  };
}

export const readAccount = requireMatch(
  /^[A-Za-z0-9._-]{1,64}$/,
  'It must have 1 to 64 characters: letters, digits, . _ -',
);

/** Returns a parser of comma-separated lists, which applies `parse` to the list. */
function parseList<T>(parse: (items: readonly string[]) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text.split(',').map((item) => item.trim()));
    } catch (error) {
      throw new InvalidArgumentError((error as Error).message);
    }
  };
}

export function readLimit(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('It must be a whole number above 0.');
  return Number(text);
}
