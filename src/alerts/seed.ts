import { createAlertTable } from '../store/alerts.js';
import type { Store } from '../store/store.js';
import { createWebhookTable } from '../store/webhooks.js';

/** Time whose sessions are searched before the next account has its turn, in ms. */
const sliceMs = 10 * 60_000;

/** Makes the people due who had readings in the next slice of the seed of an account, from the newest one back. */
export async function seedSlice(store: Store, accountId: string, nowMs: number): Promise<void> {
  const table = createAlertTable(store.read(accountId));
  const seed = await table.findSeed();
  if (!seed) return;
  const searchedMs = Math.max(seed.fromMs, seed.untilMs - sliceMs);
  await table.hasten(await table.touched(searchedMs, seed.untilMs), nowMs);
  await table.advanceSeed(seed, searchedMs);
}

/** Seeds accounts with rules. An earlier release, which does not know plans, may have stored readings. */
export async function seedAll(store: Store, accountIds: readonly string[], nowMs: number): Promise<void> {
  for (const accountId of accountIds)
    await store.transact(async (scopeOf) => {
      await createWebhookTable(scopeOf(accountId)).lockAccount();
      await createAlertTable(scopeOf(accountId)).seed(nowMs);
    });
}
