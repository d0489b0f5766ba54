import { statusOf } from '../accounts/manage.js';
import type { ListedAuditEntry } from '../store/key-audit.js';
import type { ListedKey } from '../store/keys.js';

export function printKeys(keys: readonly ListedKey[]): void {
  const rows = keys.map((key) => [
    key.keyId,
    `${key.displayPrefix}…`,
    key.account,
    key.tier,
    statusOf(key, Date.now()),
    key.scopes?.join(',') ?? 'all',
    key.networks?.join(',') ?? 'all',
    formatTimestamp(key.createdAtMs),
    formatTimestamp(key.expiresAtMs),
    formatTimestamp(key.lastUsedAtMs),
  ]);
  const header = ['KEY_ID', 'PREFIX', 'ACCOUNT', 'TIER', 'STATUS', 'SCOPES', 'NETWORKS'];
  printTable([...header, 'CREATED', 'EXPIRES', 'LAST_USED'], rows);
}

export function printAudit(entries: readonly ListedAuditEntry[]): void {
  const rows = entries.map((entry) => [
    new Date(entry.atMs).toISOString(),
    entry.action,
    entry.account,
    entry.keyId ?? '-',
    entry.keyPrefix === null ? '-' : `${entry.keyPrefix}…`,
    entry.actor,
    detailsOf(entry),
  ]);
  printTable(['AT', 'ACTION', 'ACCOUNT', 'KEY_ID', 'PREFIX', 'ACTOR', 'DETAILS'], rows);
}

/** Returns e.g. `scopes=ingest,read expires_at=2026-12-21T09:30:00.000Z`. */
function detailsOf({ details }: ListedAuditEntry): string {
  return Object.entries(details)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(' ');
}

function formatTimestamp(ms: number | null): string {
  return ms === null ? 'never' : new Date(ms).toISOString().slice(0, 16);
}

function printTable(header: readonly string[], rows: ReadonlyArray<readonly string[]>): void {
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of [header, ...rows]) console.log(formatRow(row, widths));
}

function formatRow(row: readonly string[], widths: readonly number[]): string {
  return row
    .map((cell, column) => cell.padEnd(widths[column] ?? 0))
    .join('  ')
    .trimEnd();
}
