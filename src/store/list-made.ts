import type { Knex } from 'knex';
import { createPersonLinkLookup, type PersonLink } from './person-links.js';
import { createSourceKeyLookup, type SourceKey } from './source-keys.js';

/** A source key, a hub or a link in the list of the operator, which does not name people. */
export interface ListedMade {
  readonly kind: 'source key' | 'hub' | 'link';
  readonly id: string;
  readonly account: string;
  readonly makerKeyId: string | null;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

/** Returns what API keys made that has not ended, of all accounts or of one. */
export async function listAllMade(knex: Knex, nowMs: number, account?: string): Promise<ListedMade[]> {
  const sourceKeys = await createSourceKeyLookup(knex).listAll(nowMs, account);
  const links = await createPersonLinkLookup(knex).listAll(nowMs, account);
  return [
    ...sourceKeys.map((row) => toListed(row.subjectId === null ? 'hub' : 'source key', row.sourceKeyId, row)),
    ...links.map((row) => toListed('link', row.linkId, row)),
  ];
}

function toListed(
  kind: ListedMade['kind'],
  id: string,
  row: (SourceKey | PersonLink) & { readonly account: string },
): ListedMade {
  const { account, makerKeyId, createdAtMs, expiresAtMs } = row;
  return { kind, id, account, makerKeyId, createdAtMs, expiresAtMs };
}
