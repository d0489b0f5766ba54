import type { Knex } from 'knex';

/** An account and a calendar month (UTC, e.g. `2026-11`). */
export interface UsageKey {
  readonly accountId: string;
  readonly month: string;
}

export type Usage = UsageKey & { readonly calls: number };

export function createUsageTable(knex: Knex) {
  return {
    /** Returns the counts in the order of the keys. The count of an unknown key is 0. */
    totalsOf: (keys: readonly UsageKey[]): Promise<number[]> => totalsOf(knex, keys),

    /** Adds the calls to the counts in one transaction. Returns the new totals in the same order. */
    async add(usages: readonly Usage[]): Promise<number[]> {
      return knex.transaction(async (transaction) => {
        // Sorted, so that all processes lock rows in the same order.
        const sorted = usages.filter(({ calls }) => calls > 0).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
        for (const { accountId, month, calls } of sorted)
          await transaction('usage_months')
            .insert({ account_id: accountId, month, calls })
            .onConflict(['account_id', 'month'])
            .merge({ calls: transaction.raw('usage_months.calls + ?', [calls]) });
        return totalsOf(transaction, usages);
      });
    },
  };
}

export type UsageTable = ReturnType<typeof createUsageTable>;

async function totalsOf(knex: Knex, keys: readonly UsageKey[]): Promise<number[]> {
  const rows = await knex('usage_months')
    .select('account_id', 'month', 'calls')
    .whereIn(
      ['account_id', 'month'],
      keys.map(({ accountId, month }) => [accountId, month]),
    );
  const totals = new Map(
    rows.map((row) => [keyOf({ accountId: row.account_id, month: row.month }), Number(row.calls)]),
  );
  return keys.map((key) => totals.get(keyOf(key)) ?? 0);
}

function keyOf({ accountId, month }: UsageKey): string {
  return `${accountId} ${month}`;
}
